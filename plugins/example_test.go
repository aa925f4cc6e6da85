package plugins_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/sampler"
)

// tenant is a hook that puts a header into every request and tells how attempts end.
type tenant string

func (t tenant) Decorate(req *http.Request, _ *sampler.Node) error {
	req.Header.Set("X-Tenant", string(t))
	return nil
}

func (t tenant) AttemptStart(ctx context.Context, _ plugins.Attempt) context.Context { return ctx }

func (t tenant) AttemptEnd(_ context.Context, a plugins.Attempt, r plugins.AttemptResult) {
	fmt.Println(t, a.Method, a.Path, a.Class, r.Outcome.Status)
}

// A hook implements those interfaces that it has a use for; here it is an AttemptHook and a Decorator.
func ExampleHook() {
	fake, err := fakecluster.Start()
	if err != nil {
		log.Fatal(err)
	}
	defer fake.Close()
	config, err := esdriver.ParseDSN(fake.DSN())
	if err != nil {
		log.Fatal(err)
	}
	config.Hooks = []plugins.Hook{tenant("blue")}
	cluster, err := esdriver.Open(config)
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close(context.Background())

	req, err := http.NewRequest(http.MethodGet, "/_cluster/health", nil)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := cluster.RoundTrip(req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(fake.Requests().Path("/_cluster/health")[0].Header.Get("X-Tenant"))
	// Output:
	// blue GET /_cluster/health state 200
	// blue
}
