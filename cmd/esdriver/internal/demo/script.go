package demo

import (
	"fmt"
	"time"

	"github.com/esdriver/esdriver/fakecluster"
)

// step is something that is done to the cluster while it is queried.
type step struct {
	at   time.Duration // since the live part began
	what string
	do   func() error
}

// answerAfter is how long a node of the demo's own cluster takes over a query while nodes come and go: as a real one
// might, so that a node that is killed has queries under way.
const answerAfter = 30 * time.Millisecond

// script returns the steps for the demo's own cluster: in 15 seconds a node is killed at 3, starts again at 7, and a
// further one joins at 10.
func script(fake *fakecluster.Cluster, length time.Duration) []step {
	victim := fake.Node(1)
	return []step{
		{length * 3 / 15, "kills " + victim.Name() + ", queries under way and all", func() error {
			victim.Kill()
			return nil
		}},
		{length * 7 / 15, "starts " + victim.Name() + " again", victim.Start},
		{length * 10 / 15, fmt.Sprintf("adds a node, node-%d", len(fake.Nodes())), func() error {
			_, err := fake.AddNode()
			return err
		}},
	}
}
