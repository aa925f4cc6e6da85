package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
)

// startProfile begins the profiles that the task asks for; stop ends and writes them.
func startProfile(t task) (stop func() error, err error) {
	if t.MemProfile != "" {
		runtime.MemProfileRate = 512
	}
	if t.CPUProfile == "" {
		return func() error { return writeHeap(t.MemProfile) }, nil
	}
	f, err := os.Create(t.CPUProfile)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return errors.Join(f.Close(), writeHeap(t.MemProfile))
	}, nil
}

// writeHeap writes what was allocated since the process began.
func writeHeap(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}
