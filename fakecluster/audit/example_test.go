package audit_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/audit"
	"github.com/esdriver/esdriver/plugins"
)

// A trail shows that a search which one node refuses is answered by another one.
func ExampleTrail() {
	cluster, err := fakecluster.Start(fakecluster.Nodes(2))
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	cluster.Inject(fakecluster.Fault{Path: "/_search", Times: 1, Action: fakecluster.Status(503, "", nil)})

	trail := &audit.Trail{Name: func(string) string { return "a node" }} // which one is tried first is chance
	config, err := esdriver.ParseDSN(cluster.DSN())
	if err != nil {
		log.Fatal(err)
	}
	config.Hooks = []plugins.Hook{trail}
	client, err := esdriver.Open(config)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(context.Background())

	req, err := http.NewRequest(http.MethodPost, "/_search", strings.NewReader(`{"size":0}`))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.RoundTrip(req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(strings.Join(trail.Only("Attempt"), "\n"))
	// Output:
	// Attempt a node 503
	// Attempt a node 200
}
