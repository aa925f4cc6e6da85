package fakecluster_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/esdriver/esdriver/fakecluster"
)

func ExampleStart() {
	cluster, err := fakecluster.Start(fakecluster.Nodes(2), fakecluster.ClusterName("orders"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	_ = cluster.Put("orders", "1", map[string]any{"total": 12.5})

	answer, err := http.Get(cluster.Node(1).URL() + "/orders/_doc/1")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	fmt.Println(string(body))
	// Output: {"_index":"orders","_id":"1","_version":1,"_seq_no":0,"_primary_term":1,"found":true,"_source":{"total":12.5}}
}

func ExampleCluster_Inject() {
	cluster, err := fakecluster.Start(fakecluster.Nodes(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	cluster.Inject(fakecluster.Fault{Path: "/_bulk", Times: 1, Action: fakecluster.RetryAfter(0)})

	bulk := "{\"index\":{\"_index\":\"i\",\"_id\":\"1\"}}\n{\"a\":1}\n"
	for range 2 {
		answer, err := http.Post(cluster.Node(0).URL()+"/_bulk", "application/x-ndjson", strings.NewReader(bulk))
		if err != nil {
			fmt.Println(err)
			return
		}
		answer.Body.Close()
		fmt.Println(answer.Status)
	}
	fmt.Println(len(cluster.Requests().Path("/_bulk")), "requests,", len(cluster.Docs("i")), "document")
	// Output:
	// 429 Too Many Requests
	// 200 OK
	// 2 requests, 1 document
}

func ExampleNode_Kill() {
	cluster, err := fakecluster.Start(fakecluster.Nodes(3))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	cluster.Node(2).Kill()

	answer, err := http.Get(cluster.Node(0).URL() + "/_cat/nodes?h=name")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	fmt.Println(strings.Join(strings.Fields(string(body)), " "))
	// Output: node-0 node-1
}
