// Fake runs a fake cluster of a product and version until its standard input ends, and prints the nodes' URLs, with
// commas between them.
//
//	fake elasticsearch 8.19.7
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
)

func main() {
	c, err := fakecluster.Start(fakecluster.Product(fakecluster.Flavor(os.Args[1])), fakecluster.Version(os.Args[2]), fakecluster.SQL(sqlite.New()))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer c.Close()
	fmt.Println(strings.Join(c.URLs(), ","))
	_, _ = io.Copy(io.Discard, os.Stdin)
}
