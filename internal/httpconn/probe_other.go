//go:build !unix

package httpconn

// peek knows no way to look here: the connection is trusted.
func peek(uintptr) sight { return quiet }
