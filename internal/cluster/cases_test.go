package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/balancer"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/audit"
	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/httpconn"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

// The cases in testdata/cases are scripts: one command a line, # starts a comment. A new case needs no code.
// Each runs on a fake cluster in memory, with a clock that jumps when everybody waits.
//
//	nodes N                       how many nodes the cluster has (3); the first commands only
//	seeds n0 n2                   the addresses that the client is given (all)
//	role n1 master data           a node's roles
//	set KEY VALUE                 a setting: see world.set
//	fault NODE PATH ACTION [times K]   NODE may be *; see actions
//	clear                         takes out all faults
//	kill|start|restart|freeze|thaw|drain|remove NODE, add
//	call METHOD PATH [key=value …]     class, body, deadline, cancel, idempotent, key, once (body without GetBody)
//	calls N METHOD PATH …         the same N times; each must succeed
//	hold N METHOD PATH            N calls in the background, whose ends nobody looks at
//	status 200                    of the last call
//	error WORD                    of the last call: see sentinels; "error none"
//	says TEXT                     the last error's text contains TEXT
//	took <= 10s | took >= 1s      the last call
//	advance 5s                    lets the clock go on
//	settle                        until everybody waits
//	refresh                       takes a sample
//	trail A; B; C                 the audit trail, which is then forgotten
//	trail-of Attempt: A; B        only its events that start with the word; nothing is forgotten. Requests and
//	                              probes go on side by side, so their order is looked at apart
//	forget                        forgets the trail and the request log
//	seen NODE PATH N              how many requests of the path the node has got
//	state NODE STATE
//	members n0 n1                 the topology's nodes
//	filtered n2
//	conns NODE <= N
//	probed NODE <= N              how many probes the node has got
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files, "no case was found")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(file)
			require.NoError(t, err)
			synctest.Test(t, func(t *testing.T) { play(t, string(script)) })
		})
	}
}

func play(t *testing.T, script string) {
	w := newWorld(t)
	defer w.close()
	lines := bufio.NewScanner(strings.NewReader(script))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line != "" {
			w.at = fmt.Sprintf("line %d: %s", n, line)
			verb, rest, _ := strings.Cut(line, " ")
			w.do(verb, strings.TrimSpace(rest))
		}
	}
}

// world is a fake cluster, a client of it, and the last call.
type world struct {
	t    *testing.T
	at   string
	opts []fakecluster.Option
	n    int
	cfg  cluster.Config

	seedNames []string
	fake      *fakecluster.Cluster
	c         *cluster.Cluster
	trail     audit.Trail

	resp *http.Response
	err  error
	took time.Duration
	held sync.WaitGroup // calls in the background
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, n: 3, opts: []fakecluster.Option{fakecluster.InMemory()}}
	ping, err := sampler.New("ping", nil)
	require.NoError(t, err)
	w.cfg = cluster.Config{
		Sampler: ping, SampleEvery: 5 * time.Second, SampleTimeout: 5 * time.Second, Balancer: inOrder{},
		Sizes: pool.DefaultSizes, Shared: 32, PoolWait: 30 * time.Second, MaxIdle: time.Minute, MaxLifetime: 5 * time.Minute,
		AttemptTimeout: 30 * time.Second, RetryBudget: 0.2, Hooks: []plugins.Hook{&w.trail},
	}
	return w
}

func (w *world) close() {
	if w.c != nil {
		require.NoError(w.t, w.c.Close(context.Background()))
		w.held.Wait()
	}
	if w.fake != nil {
		w.fake.Close()
	}
}

// open starts both sides. The first command that is no setting calls it.
func (w *world) open() {
	if w.fake != nil {
		return
	}
	w.fake = fakecluster.Run(w.t, append(w.opts, fakecluster.Nodes(w.n))...)
	w.trail.Name = w.nameOf
	dialer, err := httpconn.NewDialer(httpconn.Config{DialContext: w.fake.DialContext, DialTimeout: 5 * time.Second, Proxy: noProxy})
	w.ok(err)
	w.cfg.Dialer = dialer
	for i, raw := range w.fake.URLs() {
		if len(w.seedNames) == 0 || contains(w.seedNames, fmt.Sprintf("n%d", i)) {
			u, err := url.Parse(raw)
			w.ok(err)
			w.cfg.Seeds = append(w.cfg.Seeds, u)
		}
	}
}

// connect opens the client, after faults that are in place from the start.
func (w *world) connect() {
	w.open()
	if w.c == nil {
		c, err := cluster.Open(w.t.Context(), w.cfg)
		w.ok(err)
		w.c = c
		synctest.Wait()
		w.trail.Reset()
		w.fake.ResetRequests()
	}
}

func noProxy(*url.URL) (*url.URL, error) { return nil, nil }

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

func (w *world) ok(err error) { require.NoError(w.t, err, w.at) }

func (w *world) nameOf(addr string) string {
	for i, n := range w.fake.Nodes() {
		if n.Addr() == addr {
			return fmt.Sprintf("n%d", i)
		}
	}
	return ""
}

func (w *world) node(name string) *fakecluster.Node {
	i, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
	require.NoError(w.t, err, w.at)
	return w.fake.Node(i)
}

func (w *world) do(verb, rest string) {
	args := strings.Fields(rest)
	if setting, ok := settings[verb]; ok {
		require.Nil(w.t, w.fake, "%s: settings come first", w.at)
		setting(w, args)
		return
	}
	if deed, ok := deeds[verb]; ok {
		w.open()
		deed(w, args)
		return
	}
	check, ok := checks[verb]
	require.True(w.t, ok, "%s: unknown command", w.at)
	w.connect()
	check(w, rest)
}

var settings = map[string]func(w *world, args []string){
	"nodes": func(w *world, args []string) { w.n = w.number(args[0]) },
	"seeds": func(w *world, args []string) { w.seedNames = args },
	"role": func(w *world, args []string) {
		w.opts = append(w.opts, fakecluster.ForNode(w.number(args[0][1:]), fakecluster.Roles(args[1:]...)))
	},
	"product": func(w *world, args []string) {
		w.opts = append(w.opts, fakecluster.Product(fakecluster.Flavor(args[0])))
	},
	"set": func(w *world, args []string) { w.set(args[0], args[1]) },
}

func (w *world) number(text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(w.t, err, w.at)
	return n
}

func (w *world) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	require.NoError(w.t, err, w.at)
	return d
}

func (w *world) set(key, value string) {
	switch key {
	case "sampler":
		s, err := sampler.New(value, nil)
		w.ok(err)
		w.cfg.Sampler = s
	case "balancer":
		b, err := balancer.New(value, nil)
		w.ok(err)
		w.cfg.Balancer = b
	case "interval":
		w.cfg.SampleEvery = w.duration(value)
	case "sample_timeout":
		w.cfg.SampleTimeout = w.duration(value)
	case "timeout":
		w.cfg.Timeout = w.duration(value)
	case "attempt_timeout":
		w.cfg.AttemptTimeout = w.duration(value)
	case "wait":
		w.cfg.PoolWait = w.duration(value)
	case "reg":
		w.cfg.Sizes[pool.Reg] = int32(w.number(value))
	case "shared":
		w.cfg.Shared = int32(w.number(value))
	case "cluster":
		w.cfg.ClusterName = value
	case "ignore_name":
		w.cfg.IgnoreName = value == "true"
	case "retry":
		w.cfg.NoRetry = value == "false"
	case "budget":
		share, err := strconv.ParseFloat(value, 64)
		w.ok(err)
		w.cfg.RetryBudget = share
	default:
		require.Fail(w.t, "unknown setting", w.at)
	}
}

// deeds change the fake cluster.
var deeds = map[string]func(w *world, args []string){
	"fault":   func(w *world, args []string) { w.fault(args) },
	"clear":   func(w *world, _ []string) { w.fake.ClearFaults() },
	"kill":    func(w *world, args []string) { w.node(args[0]).Kill() },
	"start":   func(w *world, args []string) { w.ok(w.node(args[0]).Start()) },
	"restart": func(w *world, args []string) { w.ok(w.node(args[0]).Restart(len(args) > 1)) },
	"freeze":  func(w *world, args []string) { w.node(args[0]).Freeze() },
	"thaw":    func(w *world, args []string) { w.node(args[0]).Thaw() },
	"drain":   func(w *world, args []string) { w.node(args[0]).Drain() },
	"remove":  func(w *world, args []string) { w.fake.RemoveNode(w.node(args[0])) },
	"add": func(w *world, _ []string) {
		_, err := w.fake.AddNode()
		w.ok(err)
	},
}

func (w *world) fault(args []string) {
	f := fakecluster.Fault{Path: args[1]}
	if f.Path == "*" {
		f.Path = ""
	}
	args, target := args[2:], args[0]
	if n := len(args); n > 2 && args[n-2] == "times" {
		f.Times, args = w.number(args[n-1]), args[:n-2]
	}
	f.Action = w.action(args)
	if target == "*" {
		w.fake.Inject(f)
		return
	}
	w.node(target).Inject(f)
}

const (
	blocked      = `{"error":{"type":"cluster_block_exception","reason":"blocked by: [SERVICE_UNAVAILABLE/1/state not recovered / initialized];"},"status":503}`
	tookTooLong  = `{"error":{"type":"search_timeout_exception","reason":"timed out"},"status":429}`
	brokeCircuit = `{"error":{"type":"circuit_breaking_exception","reason":"too large"},"status":503}`
)

func (w *world) action(args []string) fakecluster.Action {
	simple := map[string]fakecluster.Action{
		"refuse": fakecluster.Refuse, "hang": fakecluster.Hang, "html": fakecluster.HTML, "garbage": fakecluster.Garbage,
		"reset-before-read": fakecluster.ResetBeforeRead, "reset-before-execute": fakecluster.ResetBeforeExecute,
		"reset-after-execute": fakecluster.ResetAfterExecute, "close-after-execute": fakecluster.CloseAfterExecute,
		"connection-close": fakecluster.ConnectionClose, "wrong-name": fakecluster.WrongClusterName,
		"wrong-uuid": fakecluster.WrongClusterUUID, "partial": fakecluster.PartialNodes, "empty": fakecluster.EmptyNodes,
		"not-ready": fakecluster.NotReady,
		"blocked":   fakecluster.Status(503, blocked, nil), "search-timeout": fakecluster.Status(429, tookTooLong, nil),
		"circuit": fakecluster.Status(503, brokeCircuit, nil),
	}
	if a, ok := simple[args[0]]; ok {
		return a
	}
	switch args[0] {
	case "status":
		return fakecluster.Status(w.number(args[1]), `{}`, nil)
	case "slow":
		return fakecluster.Slow(w.duration(args[1]))
	case "retry-after":
		return fakecluster.RetryAfter(w.duration(args[1]))
	case "cut":
		return fakecluster.CutBody(w.number(args[1]))
	case "publish":
		return fakecluster.PublishAddress(args[1])
	}
	require.Fail(w.t, "unknown action", w.at)
	return fakecluster.Action{}
}

// checks call the client or look at it.
var checks = map[string]func(w *world, rest string){
	"open":   func(*world, string) {},
	"call":   func(w *world, rest string) { w.call(strings.Fields(rest)) },
	"calls":  func(w *world, rest string) { w.calls(strings.Fields(rest)) },
	"hold":   func(w *world, rest string) { w.hold(strings.Fields(rest)) },
	"status": func(w *world, rest string) { w.status(w.number(rest)) },
	"error":  func(w *world, rest string) { w.wantError(rest) },
	"says":   func(w *world, rest string) { require.ErrorContains(w.t, w.err, rest, w.at) },
	"took":   func(w *world, rest string) { w.compare(w.took, rest) },
	"advance": func(w *world, rest string) {
		<-time.NewTimer(w.duration(rest)).C
		synctest.Wait()
	},
	"settle":  func(*world, string) { synctest.Wait() },
	"refresh": func(w *world, _ string) { w.err = w.c.Refresh(w.t.Context()); synctest.Wait() },
	"trail": func(w *world, rest string) {
		synctest.Wait()
		require.Equal(w.t, list(rest), w.trail.Events(), w.at)
		w.trail.Reset()
	},
	"trail-of": func(w *world, rest string) {
		synctest.Wait()
		words, events, _ := strings.Cut(rest, ":")
		require.Equal(w.t, list(events), w.trail.Only(strings.Fields(words)...), w.at)
	},
	"forget": func(w *world, _ string) { w.trail.Reset(); w.fake.ResetRequests() },
	"seen": func(w *world, rest string) {
		args := strings.Fields(rest)
		got := len(w.fake.Requests().Node(w.node(args[0]).Name()).Path(args[1]))
		require.Equal(w.t, w.number(args[2]), got, w.at)
	},
	"state": func(w *world, rest string) {
		name, state, _ := strings.Cut(rest, " ")
		require.Equal(w.t, state, w.stateOf(name), w.at)
	},
	"members":  func(w *world, rest string) { w.names(strings.Fields(rest), w.c.Topology().Nodes) },
	"filtered": func(w *world, rest string) { w.names(strings.Fields(rest), w.c.Topology().Filtered) },
	"probed": func(w *world, rest string) {
		name, bound, _ := strings.Cut(rest, " <= ")
		pings := len(w.trail.Only("Ping "+name, "PingFailed "+name))
		require.LessOrEqual(w.t, pings, w.number(bound), w.at)
		require.Positive(w.t, pings, w.at)
	},
	"conns": func(w *world, rest string) {
		name, bound, _ := strings.Cut(rest, " <= ")
		require.LessOrEqual(w.t, w.node(name).Conns(), w.number(bound), w.at)
	},
}

func list(text string) []string {
	events := []string{}
	for event := range strings.SplitSeq(text, ";") {
		if event = strings.TrimSpace(event); event != "" {
			events = append(events, event)
		}
	}
	return events
}

func (w *world) call(args []string) {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	options := map[string]string{}
	for _, arg := range args[2:] {
		key, value, _ := strings.Cut(arg, "=")
		options[key] = value
	}
	if d, ok := options["deadline"]; ok {
		ctx, cancel = context.WithTimeout(ctx, w.duration(d))
		defer cancel()
	}
	if d, ok := options["cancel"]; ok {
		timer := time.AfterFunc(w.duration(d), cancel)
		defer timer.Stop()
	}
	if name, ok := options["class"]; ok {
		class, err := pool.ParseClass(name)
		w.ok(err)
		ctx = pool.WithClass(ctx, class)
	}
	if value, ok := options["idempotent"]; ok {
		ctx = cluster.WithIdempotent(ctx, value != "false")
	}
	req, err := http.NewRequestWithContext(ctx, args[0], args[1], bodyOf(options["body"]))
	w.ok(err)
	if _, once := options["once"]; once {
		req.GetBody = nil
	}
	if key, ok := options["key"]; ok {
		req.Header.Set("Idempotency-Key", key)
	}
	if options["body"] != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	w.resp, w.err = w.c.RoundTrip(req)
	if w.err == nil {
		_, w.err = io.Copy(io.Discard, w.resp.Body)
		w.err = errors.Join(w.err, w.resp.Body.Close())
	}
	w.took = time.Since(began)
}

// bodyOf turns a word into a body: bulk-create, bulk-auto, or itself.
func bodyOf(word string) io.Reader {
	switch word {
	case "":
		return nil
	case "bulk-create":
		return strings.NewReader("{\"create\":{\"_id\":\"1\"}}\n{\"a\":1}\n")
	case "bulk-auto":
		return strings.NewReader("{\"index\":{}}\n{\"a\":1}\n")
	}
	return strings.NewReader(word)
}

func (w *world) calls(args []string) {
	for range w.number(args[0]) {
		w.call(args[1:])
		w.ok(w.err)
		require.Less(w.t, w.resp.StatusCode, 500, w.at)
	}
}

// hold makes calls that end with the cluster at the latest.
func (w *world) hold(args []string) {
	for range w.number(args[0]) {
		req, err := http.NewRequestWithContext(w.t.Context(), args[1], args[2], nil)
		w.ok(err)
		w.held.Go(func() {
			if resp, err := w.c.RoundTrip(req); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	synctest.Wait()
}

func (w *world) status(want int) {
	w.ok(w.err)
	require.Equal(w.t, want, w.resp.StatusCode, w.at)
}

var sentinels = map[string]error{
	"maybe-executed": cluster.ErrMaybeExecuted, "no-node": cluster.ErrNoNode, "all-filtered": cluster.ErrAllFiltered,
	"budget": cluster.ErrRetryBudget, "closed": cluster.ErrClosed, "pool-timeout": pool.ErrTimeout,
	"canceled": context.Canceled, "deadline": context.DeadlineExceeded, "attempt-timeout": httpconn.ErrAttemptTimeout,
	"truncated": io.ErrUnexpectedEOF, "reset": syscall.ECONNRESET,
}

func (w *world) wantError(word string) {
	if word == "none" {
		w.ok(w.err)
		return
	}
	want, ok := sentinels[word]
	require.True(w.t, ok, w.at)
	require.ErrorIs(w.t, w.err, want, w.at)
}

func (w *world) compare(got time.Duration, rest string) {
	op, bound, _ := strings.Cut(rest, " ")
	if op == "<=" {
		require.LessOrEqual(w.t, got, w.duration(bound), w.at)
		return
	}
	require.GreaterOrEqual(w.t, got, w.duration(bound), w.at)
}

func (w *world) stateOf(name string) string {
	for _, n := range w.c.Stats().Nodes {
		if w.nameOf(n.Node.Addr) == name {
			return n.State.String()
		}
	}
	return "gone"
}

func (w *world) names(want []string, nodes []*sampler.Node) {
	got := []string{}
	for _, n := range nodes {
		name := w.nameOf(n.Addr)
		if name == "" {
			name = n.Addr
		}
		got = append(got, name)
	}
	require.ElementsMatch(w.t, want, got, w.at)
}

// inOrder picks the first node that was not tried: what happens is then the same in every run.
type inOrder struct{}

func (inOrder) Update(nodes []*balancer.Node) balancer.Picker { return ordered(nodes) }

type ordered []*balancer.Node

func (o ordered) Pick(r balancer.Request) (balancer.Choice, error) {
	for _, n := range o {
		if !r.HasTried(n) {
			return balancer.Choice{Node: n}, nil
		}
	}
	return balancer.Choice{}, balancer.ErrNoNode
}
