package esxorm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"xorm.io/xorm/core"

	"github.com/esdriver/esdriver"
)

// errNoCluster is a connection that does not tell its cluster.
var errNoCluster = errors.New("esxorm: the connection is not one of the driver esdriver, or is wrapped so that it does not show it")

// clustered is what a session of the driver is, wrapped or not.
type clustered interface{ Cluster() *esdriver.Cluster }

// clusterOf finds the cluster under xorm's connection. In a transaction xorm hands over no connection to ask.
func clusterOf(ctx context.Context, q core.Queryer) (cluster *esdriver.Cluster, err error) {
	db, ok := q.(*core.DB)
	if !ok {
		return nil, unsupported("asking for tables within a transaction", "ask before it begins")
	}
	session, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return cluster, session.Raw(func(conn any) error {
		c, ok := conn.(clustered)
		if !ok {
			return errNoCluster
		}
		cluster = c.Cluster()
		return nil
	})
}

// get asks the cluster and reads its answer into to. It reports false when there is no such thing.
func get(ctx context.Context, q core.Queryer, path string, to any) (bool, error) {
	cluster, err := clusterOf(ctx, q)
	if err != nil {
		return false, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return false, fmt.Errorf("esxorm: %w", err)
	}
	resp, err := cluster.RoundTrip(r)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	return read(resp, path, to)
}

func read(resp *http.Response, path string, to any) (bool, error) {
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return false, nil
	default:
		return false, &esdriver.Error{Status: resp.StatusCode, Reason: "GET " + path, Node: resp.Request.URL.Host}
	}
	if err := json.NewDecoder(resp.Body).Decode(to); err != nil {
		return false, fmt.Errorf("esxorm: the answer to GET %s: %w", path, err)
	}
	return true, nil
}
