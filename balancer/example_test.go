package balancer_test

import (
	"fmt"
	"net/url"

	"github.com/esdriver/esdriver/balancer"
)

// Requests stay in the zone while its nodes are well; an attempt after a failure there leaves it.
func ExampleNew() {
	b, err := balancer.New("zone", url.Values{"local": {"east"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	picker := b.Update([]*balancer.Node{
		{Addr: "10.0.0.1:9200", Attrs: map[string]string{"zone": "west"}},
		{Addr: "10.0.0.2:9200", Attrs: map[string]string{"zone": "east"}},
	})
	request := balancer.Request{Class: balancer.Reg, Method: "POST", Path: "/logs/_search"}
	for range 2 {
		choice, err := picker.Pick(request)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(choice.Node.Addr, choice.Node.Attrs["zone"])
		if choice.Done != nil {
			choice.Done(balancer.Outcome{Kind: balancer.NodeFailed})
		}
		request.Tried = append(request.Tried, choice.Node)
	}
	// Output:
	// 10.0.0.2:9200 east
	// 10.0.0.1:9200 west
}
