package pool

import "time"

// Stat is a picture of one class on one node.
type Stat struct {
	Size       int32 // connections the class has for itself
	Limit      int32 // the most it may have, borrowed ones included
	Open       int32 // connections open now, idle and in use
	InUse      int32
	Idle       int32
	Dialing    int32
	Waiting    int32         // callers that wait for a connection
	Acquired   uint64        // connections handed out since the start
	Timeouts   uint64        // waits that ended with a TimeoutError
	Waited     time.Duration // time spent waiting, summed over all callers
	Dials      uint64        // dials begun
	DialErrors uint64        // dials failed
}
