package esgorm

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"gorm.io/gorm"

	"github.com/esdriver/esdriver"
)

// errNoCluster is a connection that does not tell its cluster.
var errNoCluster = errors.New("esgorm: the connection is not one of the driver esdriver, or is wrapped so that it does not show it")

// clustered is what a session of the driver is, wrapped or not.
type clustered interface{ Cluster() *esdriver.Cluster }

// clusterOf finds the cluster under GORM's connection.
func clusterOf(ctx context.Context, db *gorm.DB) (*esdriver.Cluster, error) {
	pool, err := db.DB()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoCluster, err)
	}
	session, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return sessionCluster(session)
}

func sessionCluster(session *sql.Conn) (cluster *esdriver.Cluster, err error) {
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
func get(ctx context.Context, db *gorm.DB, path string, to any) (bool, error) {
	cluster, err := clusterOf(ctx, db)
	if err != nil {
		return false, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return false, fmt.Errorf("esgorm: %w", err)
	}
	resp, err := cluster.RoundTrip(r)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return false, nil
	default:
		return false, &esdriver.Error{Status: resp.StatusCode, Reason: "GET " + path, Node: resp.Request.URL.Host}
	}
	if err := json.NewDecoder(resp.Body).Decode(to); err != nil {
		return false, fmt.Errorf("esgorm: the answer to GET %s: %w", path, err)
	}
	return true, nil
}

// readTable reads what a table is; nil when there is none of that name.
func readTable(ctx context.Context, db *gorm.DB, name string) (*table, error) {
	var answer map[string]struct {
		Mappings mapping `json:"mappings"`
	}
	found, err := get(ctx, db, "/"+url.PathEscape(name)+"/_mapping", &answer)
	if err != nil || !found {
		return nil, err
	}
	if len(answer) != 1 {
		return nil, unsupported("the table "+name, "it must name one index, or an alias of one")
	}
	for index, a := range answer {
		return newTable(name, index, a.Mappings), nil
	}
	return nil, nil // not reached: there is one
}
