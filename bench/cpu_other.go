//go:build !unix

package main

import "time"

// cpuTime is not known here: the tables' CPU columns are empty.
func cpuTime() time.Duration { return 0 }
