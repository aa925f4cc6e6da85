package debughttp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/plugins/debughttp"
)

func ExampleHandler() {
	fake, err := fakecluster.Start(fakecluster.Nodes(1))
	if err != nil {
		log.Fatal(err)
	}
	defer fake.Close()
	config, err := esdriver.ParseDSN(fake.DSN())
	if err != nil {
		log.Fatal(err)
	}
	cluster, err := esdriver.Open(config)
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close(context.Background())

	pages := http.NewServeMux()
	pages.Handle("/debug/esdriver", debughttp.Handler(cluster))
	answer := httptest.NewRecorder()
	pages.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/esdriver", nil))
	fmt.Println(answer.Code, answer.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}
