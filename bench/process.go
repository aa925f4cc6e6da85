package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/esdriver/esdriver/bench/srv"
)

// Each measurement is a process of its own, and the nodes are another: this program run with one of these.
const (
	asServer = "-serve"
	asClient = "-measure"
)

// serve is the process of the nodes: it prints their addresses and ends when its input does.
func serve() error {
	runtime.GOMAXPROCS(1) // it must not take the client's core
	nodes, err := srv.Listen(allNodes)
	if err != nil {
		return err
	}
	defer nodes.Close()
	fmt.Println(strings.Join(nodes.Addrs(), ","))
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// startServer starts the process of the nodes and returns their addresses. stop ends it.
func startServer() (nodes []string, stop func(), err error) {
	cmd, err := self(asServer)
	if err != nil {
		return nil, nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait() // it has nothing left to say
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("bench: the server did not start: %w", err)
	}
	return strings.Split(strings.TrimSpace(line), ","), stop, nil
}

// task is what a client's process is told on its input.
type task struct {
	Layer, Work    string
	Nodes          []string
	Warm, Duration time.Duration
	CPUProfile     string // a file; empty: none
	MemProfile     string
}

// measure has a process do the task.
func measure(t task) (sample, error) {
	cmd, err := self(asClient)
	if err != nil {
		return sample{}, err
	}
	in, err := json.Marshal(t)
	if err != nil {
		return sample{}, err
	}
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		return sample{}, fmt.Errorf("bench: %s at %s: %w", t.Layer, t.Work, err)
	}
	var s sample
	return s, json.Unmarshal(out, &s)
}

// client is the process of one measurement: a task on its input, a sample on its output.
func client() error {
	var t task
	if err := json.NewDecoder(os.Stdin).Decode(&t); err != nil {
		return err
	}
	w, err := findWork(t.Work)
	if err != nil {
		return err
	}
	stop, err := startProfile(t)
	if err != nil {
		return err
	}
	s, err := w.run(t.Layer, t.Nodes, t.Warm, t.Duration)
	if err != nil {
		return err
	}
	if err := stop(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

func findWork(name string) (work, error) {
	for _, w := range works {
		if w.name == name {
			return w, nil
		}
	}
	return work{}, fmt.Errorf("bench: no work %q", name)
}

// self is this program again.
func self(arg string) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, arg)
	cmd.Stderr = os.Stderr
	return cmd, nil
}
