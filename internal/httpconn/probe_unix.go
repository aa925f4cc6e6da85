//go:build unix

package httpconn

import "syscall"

// peek looks for one byte. Sockets of package net are non-blocking.
func peek(fd uintptr) sight {
	var b [1]byte
	n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR || err == syscall.ENOTSOCK:
		return quiet
	case err != nil || n == 0:
		return gone
	}
	return bytesIn
}
