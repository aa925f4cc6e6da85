package fakecluster

import (
	"fmt"
	"slices"
	"strings"
)

// catRow is one line of a _cat answer: column and text in turn.
type catRow []string

// catReply answers in JSON if it is asked for, else as a table; h chooses columns.
func catReply(k *call, rows []catRow) *reply {
	columns := list(k.query.Get("h"))
	if k.query.Get("format") == "json" {
		out := []object{}
		for _, r := range rows {
			out = append(out, r.object(columns))
		}
		return jsonReply(200, out)
	}
	var b strings.Builder
	for _, r := range rows {
		o := r.object(columns)
		for i := 1; i < len(o); i += 2 {
			fmt.Fprint(&b, o[i], " ")
		}
		b.WriteByte('\n')
	}
	r := &reply{status: 200, body: []byte(b.String())}
	return r.set("Content-Type", "text/plain; charset=UTF-8")
}

func (r catRow) object(columns []string) object {
	var o object
	for i := 0; i < len(r); i += 2 {
		if len(columns) == 0 || slices.Contains(columns, r[i]) {
			o = o.with(r[i], r[i+1])
		}
	}
	return o
}

// catNodes answers _cat/nodes. The first node that runs is the master.
func (c *Cluster) catNodes(k *call) (*reply, error) {
	var rows []catRow
	for i, n := range c.visibleNodes(k) {
		master := "-"
		if i == 0 {
			master = "*"
		}
		rows = append(rows, catRow{"ip", "127.0.0.1", "node.role", initials(n.roles()), "master", master, "name", n.Name(),
			"id", n.ID()[:4], "version", c.cfg.version, "http", n.Addr(), "uptime", n.uptime(c.now()).String()})
	}
	return catReply(k, rows), nil
}

func initials(roles []string) string {
	letters := map[string]string{"data_cold": "c", "data_frozen": "f", "data_hot": "h", "data_warm": "w", "data_content": "s",
		"remote_cluster_client": "r", "transform": "t", "ml": "l", "cluster_manager": "m"}
	var out []string
	for _, role := range roles {
		if l, ok := letters[role]; ok {
			out = append(out, l)
		} else if role != "" {
			out = append(out, role[:1])
		}
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// catIndices answers _cat/indices.
func (c *Cluster) catIndices(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	ts, err := c.data.resolve(k.vars["index"], false)
	if err != nil {
		return nil, err
	}
	c.data.refreshDue(ts, c.now())
	var rows []catRow
	for _, t := range ts {
		ix := t.index
		rows = append(rows, catRow{"health", "green", "status", map[bool]string{false: "open", true: "close"}[ix.closed],
			"index", ix.name, "uuid", ix.uuid, "pri", fmt.Sprint(ix.intSetting("number_of_shards", 1)),
			"rep", fmt.Sprint(ix.copies() - 1), "docs.count", fmt.Sprint(len(ix.visible) - ix.gaps), "docs.deleted", "0",
			"store.size", "1kb", "pri.store.size", "1kb"})
	}
	return catReply(k, rows), nil
}

// catAliases answers _cat/aliases.
func (c *Cluster) catAliases(k *call) (*reply, error) {
	c.data.mu.Lock()
	defer c.data.mu.Unlock()
	var rows []catRow
	for _, t := range c.data.match("_all") {
		for alias, filter := range t.index.aliases {
			mark := map[bool]string{true: "-", false: "*"}[filter == nil]
			rows = append(rows, catRow{"alias", alias, "index", t.index.name, "filter", mark,
				"routing.index", "-", "routing.search", "-", "is_write_index", "-"})
		}
	}
	return catReply(k, rows), nil
}
