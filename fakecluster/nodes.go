package fakecluster

import (
	"maps"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// nodesInfo answers /_nodes and its variants. The filter is a list of ids, names, patterns, _local and
// _all; the metrics are sections (http, jvm); none or _all means every one.
func (c *Cluster) nodesInfo(k *call) (*reply, error) {
	filter, metrics := k.vars["filter"], k.vars["metrics"]
	if metrics == "" && isMetrics(filter) {
		filter, metrics = "", filter
	}
	shown := c.selectNodes(k, filter)
	total, failed := len(shown), 0
	if k.view.partial && len(shown) > 0 {
		shown, failed = k.withoutLast(shown), 1
	}
	nodes := object{}
	for _, n := range shown {
		nodes = append(nodes, n.ID(), n.info(k, metrics))
	}
	head := object{"total", total, "successful", total - failed, "failed", failed}
	if failed > 0 {
		head = head.with("failures", []object{failure("failed_node_exception", "Failed node [unreachable]", "node_id", "unreachable")})
	}
	body := object{"_nodes", head, "cluster_name", k.view.clusterName, "nodes", nodes}
	return jsonReply(200, body), nil
}

func isMetrics(s string) bool {
	known := []string{"settings", "os", "process", "jvm", "thread_pool", "transport", "http", "plugins", "ingest", "indices", "aggregations"}
	return s != "" && !slices.ContainsFunc(strings.Split(s, ","), func(m string) bool { return !slices.Contains(known, m) })
}

// selectNodes returns the running nodes that the filter names; the asked node is always one that runs.
func (c *Cluster) selectNodes(k *call, filter string) []*Node {
	if k.view.empty {
		return nil
	}
	return slices.DeleteFunc(c.visibleNodes(k), func(n *Node) bool { return !k.named(n, filter) })
}

// visibleNodes are the running nodes, the asked one included even if it drains.
func (c *Cluster) visibleNodes(k *call) []*Node {
	return slices.DeleteFunc(c.Nodes(), func(n *Node) bool { return n != k.node && !n.Running() })
}

func (k *call) named(n *Node, filter string) bool {
	if filter == "" {
		return true
	}
	return slices.ContainsFunc(strings.Split(filter, ","), func(f string) bool {
		byName, _ := path.Match(f, n.Name())
		return f == "_all" || f == "*" || f == n.ID() || byName || f == "_local" && n == k.node
	})
}

// withoutLast leaves out the last node that is not the asked one: a node can always ask itself.
func (k *call) withoutLast(nodes []*Node) []*Node {
	for i, n := range slices.Backward(nodes) {
		if n != k.node {
			return slices.Delete(slices.Clone(nodes), i, i+1)
		}
	}
	return nodes
}

// info is one node's section of _nodes.
func (n *Node) info(k *call, metrics string) object {
	host, port, _ := net.SplitHostPort(n.Addr())
	o := object{"name", n.Name(), "transport_address", net.JoinHostPort(host, port), "host", host, "ip", host,
		"version", n.cluster.cfg.version}
	o = o.with(n.cluster.build().fields()...).with("roles", n.roles(), "attributes", n.attributes())
	if wants(metrics, "jvm") {
		o = o.with("jvm", n.jvm())
	}
	if wants(metrics, "http") {
		o = n.withHTTP(o, k.view.publish)
	}
	return o
}

func wants(metrics, section string) bool {
	return metrics == "" || metrics == "_all" || slices.Contains(strings.Split(metrics, ","), section)
}

func (n *Node) attributes() map[string]string {
	attrs := n.cluster.defaultAttrs()
	maps.Copy(attrs, n.cfg.attrs)
	return attrs
}

// jvm tells the start time, the sign of a restart in _nodes.
func (n *Node) jvm() object {
	n.mu.Lock()
	started := n.started
	n.mu.Unlock()
	return object{"pid", 1, "version", "21.0.8", "vm_name", "OpenJDK 64-Bit Server VM", "start_time_in_millis", started.UnixMilli()}
}

func (n *Node) withHTTP(o object, publish *string) object {
	addr := n.Addr()
	if publish != nil && *publish == "" {
		return o
	}
	published := addr
	if publish != nil {
		published = *publish
	}
	return o.with("http", object{"bound_address", []string{addr}, "publish_address", published, "max_content_length_in_bytes", 100 << 20})
}

// stateNodes answers /_cluster/state/nodes: cluster name and UUID, ephemeral ids, no HTTP address.
func (c *Cluster) stateNodes(k *call) (*reply, error) {
	nodes := object{}
	for _, n := range c.selectNodes(k, "") {
		o := object{"name", n.Name(), "ephemeral_id", n.EphemeralID(), "transport_address", n.Addr(), "attributes", n.attributes()}
		if c.cfg.flavor == Elasticsearch && c.release.atLeast(8, 0) {
			o = o.with("roles", n.roles())
		}
		nodes = append(nodes, n.ID(), o)
	}
	return jsonReply(200, object{"cluster_name", k.view.clusterName, "cluster_uuid", k.view.clusterUUID, "nodes", nodes}), nil
}

// health answers /_cluster/health. A wait_for_nodes that does not hold, and an index that is missing, fail at once
// with 408: nobody waits.
func (c *Cluster) health(k *call) (*reply, error) {
	nodes := c.visibleNodes(k)
	data := 0
	for _, n := range nodes {
		if holdsData(n.roles()) {
			data++
		}
	}
	primaries, wanted, active, missing := c.data.shards(k.vars["index"], data)
	status, color := 200, "green"
	if active < wanted {
		color = "yellow"
	}
	if missing != nil {
		color = "red"
	}
	late := missing != nil || !enoughNodes(k.query.Get("wait_for_nodes"), len(nodes))
	if late {
		status = 408
	}
	return jsonReply(status, c.healthBody(k, color, late, len(nodes), data, primaries, wanted, active)), nil
}

func (c *Cluster) healthBody(k *call, color string, late bool, nodes, data, primaries, wanted, active int) object {
	o := object{"cluster_name", k.view.clusterName, "status", color, "timed_out", late, "number_of_nodes", nodes, "number_of_data_nodes", data}
	if c.cfg.flavor == OpenSearch {
		o = o.with("discovered_master", true, "discovered_cluster_manager", true)
	}
	o = o.with("active_primary_shards", primaries, "active_shards", active, "relocating_shards", 0, "initializing_shards", 0, "unassigned_shards", wanted-active)
	if c.cfg.flavor == Elasticsearch && c.release.atLeast(8, 16) {
		o = o.with("unassigned_primary_shards", 0)
	}
	percent := 100.0
	if wanted > 0 {
		percent = 100 * float64(active) / float64(wanted)
	}
	return o.with("delayed_unassigned_shards", 0, "number_of_pending_tasks", 0, "number_of_in_flight_fetch", 0,
		"task_max_waiting_in_queue_millis", 0, "active_shards_percent_as_number", percent)
}

// tasks answers /_tasks: the fake has none that last.
func (c *Cluster) tasks(*call) (*reply, error) { return jsonReply(200, object{"nodes", object{}}), nil }

// uptime is how long the node has been up, for _cat/nodes.
func (n *Node) uptime(now time.Time) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return now.Sub(n.started)
}

// enoughNodes is the condition of wait_for_nodes: a number, with >=, <=, > or < before it.
func enoughNodes(condition string, have int) bool {
	number := strings.TrimLeft(condition, "<>=")
	want, err := strconv.Atoi(number)
	if err != nil {
		return true
	}
	switch strings.TrimSuffix(condition, number) {
	case ">=":
		return have >= want
	case "<=":
		return have <= want
	case ">":
		return have > want
	case "<":
		return have < want
	}
	return have == want
}
