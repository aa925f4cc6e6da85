// Command custom-balancer shows a balancer of one's own: sticky.go is all of it.
package main

import (
	"fmt"
	"log"
	"net/url"

	"github.com/esdriver/esdriver/balancer"
)

// From here on a DSN may say balancer=sticky.
func init() {
	balancer.Register("sticky", func(url.Values) (balancer.Balancer, error) { return sticky{}, nil })
}

func main() {
	b, err := balancer.New("sticky", nil)
	if err != nil {
		log.Fatal(err)
	}
	nodes := []*balancer.Node{{Addr: "127.0.0.1:9200"}, {Addr: "127.0.0.1:9201"}, {Addr: "127.0.0.1:9202"}}
	if err := show(b.Update(nodes), "alice", "bob", "carol", "alice"); err != nil {
		log.Fatal(err)
	}
}

// show prints which node each key's request goes to, and which one when that has failed.
func show(p balancer.Picker, keys ...string) error {
	for _, key := range keys {
		first, err := p.Pick(balancer.Request{Class: balancer.Reg, Key: key})
		if err != nil {
			return err
		}
		second, err := p.Pick(balancer.Request{Class: balancer.Reg, Key: key, Tried: []*balancer.Node{first.Node}})
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s, then %s\n", key, first.Node.Addr, second.Node.Addr)
	}
	return nil
}
