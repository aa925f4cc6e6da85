package cluster

import (
	"fmt"
	"sync"
)

// identity is the cluster that we are bound to: by the configured name, and by the name and UUID of the
// first contact. Two clusters may share a name; none shares a UUID.
type identity struct {
	ignore bool // any cluster will do

	mu         sync.Mutex // mu guards name and uuid
	name, uuid string
}

// IdentityError is a node that is part of another cluster.
type IdentityError struct {
	What       string // "name" or "uuid"
	Want, Have string
}

// Error names both clusters and the keys that change what is accepted.
func (e *IdentityError) Error() string {
	return fmt.Sprintf("the node is of another cluster: its cluster %s is %q, expected %q (keys cluster, cluster.ignore_name)",
		e.What, e.Have, e.Want)
}

// judge compares what a node said with what we are bound to and binds us to what is not known yet.
// A cluster that has not recovered calls its UUID "_na_" (Elasticsearch and OpenSearch, GET /).
func (id *identity) judge(name, uuid string) error {
	if id.ignore {
		return nil
	}
	id.mu.Lock()
	defer id.mu.Unlock()
	if err := differs("name", id.name, name); err != nil {
		return err
	}
	if uuid == "_na_" {
		uuid = ""
	}
	if err := differs("uuid", id.uuid, uuid); err != nil {
		return err
	}
	if id.name == "" {
		id.name = name
	}
	if id.uuid == "" {
		id.uuid = uuid
	}
	return nil
}

func differs(what, want, have string) error {
	if want != "" && have != "" && want != have {
		return &IdentityError{What: what, Want: want, Have: have}
	}
	return nil
}

// known returns the name and UUID that we are bound to; both are empty when any cluster will do.
func (id *identity) known() (name, uuid string) {
	id.mu.Lock()
	defer id.mu.Unlock()
	return id.name, id.uuid
}
