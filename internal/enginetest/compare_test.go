package enginetest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// varying are the fields whose values differ from run to run or from release to release of one line; of them only the
// kind of value is compared.
var varying = []string{
	"took", "_id", "id", "uuid", "index_uuid", "creation_date", "created", "provided_name", "name", "cluster_name", "cluster_uuid",
	"_score", "max_score", "reason", "error", "node", "shard", "line", "col", "_scroll_id", "pit_id", "creation_time", "batches",
	"build_date", "build_hash", "build_type", "build_flavor", "lucene_version", "minimum_wire_compatibility_version",
	"minimum_index_compatibility_version", "transport_address", "host", "ip", "publish_address", "bound_address", "pid",
	"start_time_in_millis", "ephemeral_id", "external_id", "number_of_pending_tasks", "task_max_waiting_in_queue_millis", "total_indexing_buffer",
}

// difference is one that the fake has on purpose, in the answers of one body or, if body is empty, of all.
type difference struct {
	body    string
	release string // begin of the release's name, such as elasticsearch-7; empty for all
	path    string // of the field; what is inside it may differ too
	why     string
}

// differences are in fakecluster's README too.
var differences = []difference{
	{"", "", "nodes.*.jvm.", "few of a node's figures are given"},
	{"", "elasticsearch-8", "nodes.*.component_versions", "few of a node's figures are given"},
	{"", "elasticsearch-8", "nodes.*.index_version", "few of a node's figures are given"},
	{"", "elasticsearch-8", "nodes.*.transport_version", "few of a node's figures are given"},
	{"", "elasticsearch-7.10", "nodes.*.attributes", "the engine of .ci/engines lacks x-pack, which sets one"},
	{"state", "elasticsearch-8", "nodes", "few of a node's figures are given"},
	{"indices", "", "enginetest-indices.settings.index.", "settings are shown as they were given"},
	{"pit-paging", "", "error.failed_shards.0.", "of a closed point in time nothing is remembered"},
	{"missing-index", "", "_shards.successful", "replicas are there at once"},
	{"search-options", "elasticsearch-8", "terminated_early", "it is told for some searches without hits alone"},
	{"bulk-refused", "elasticsearch-7", "error.", "an unknown action is refused, not passed over as before version 8"},
	{"bad-requests", "elasticsearch-7", "error", "paths with a type are not known"},
	{"blocked-index", "elasticsearch-8", "header X-Elastic-Product", "the engine forgets it there"},
	{"bad-requests", "elasticsearch-7", "status", "paths with a type are not known"},
}

// compare reports where the fake answers otherwise than the engine.
func compare(t *testing.T, body string, f facts, real, fake []exchange) {
	t.Helper()
	if len(real) != len(fake) {
		t.Errorf("%d requests to the engine, %d to the fake", len(real), len(fake))
		return
	}
	for i, r := range real {
		found := slices.DeleteFunc(r.answer.diff(fake[i].answer), func(d string) bool { return known(body, f, d) })
		if len(found) > 0 {
			t.Errorf("%.200s\n%s\nengine: %.1500s\nfake:   %.1500s", r.request, strings.Join(found, "\n"), r.answer.text, fake[i].answer.text)
		}
	}
}

func known(body string, f facts, diff string) bool {
	return slices.ContainsFunc(differences, func(d difference) bool {
		here := (d.body == "" || d.body == body) && strings.HasPrefix(f.release(), d.release)
		return here && strings.HasPrefix(diff, d.path)
	})
}

// diff returns what differs, each beginning with the path of the field.
func (a answer) diff(b answer) []string {
	if a.status != b.status {
		return []string{fmt.Sprintf("status: %d, not %d", a.status, b.status)}
	}
	if (a.text == "") != (b.text == "") {
		return []string{"body: one is empty"}
	}
	return append(a.diffHeader(b), diff("", a.body, b.body)...)
}

// headers are those that are compared.
var headers = []string{"Content-Type", "Location", "Allow", "X-Elastic-Product", "X-Opensearch-Version", "X-Opaque-Id", "Retry-After"}

func (a answer) diffHeader(b answer) []string {
	var found []string
	for _, name := range headers {
		if real, fake := a.shown(name), b.shown(name); real != fake {
			found = append(found, fmt.Sprintf("header %s: %s, not %s", name, real, fake))
		}
	}
	return found
}

// shown is a header as it is compared: methods in order, and a place without the id that the server made.
func (a answer) shown(name string) string {
	text := a.header.Get(name)
	switch id := a.word("_id"); {
	case name == "Allow":
		methods := strings.Split(text, ",")
		slices.Sort(methods)
		return strings.Join(methods, ",")
	case name == "Location" && len(id) == madeLength:
		return strings.TrimSuffix(text, id)
	}
	return text
}

// madeLength is that of the ids that servers make.
const madeLength = 20

func diff(path string, real, fake any) []string {
	switch real := real.(type) {
	case map[string]any:
		if fake, ok := fake.(map[string]any); ok {
			return diffObject(path, real, fake)
		}
	case []any:
		if fake, ok := fake.([]any); ok {
			return diffList(path, real, fake)
		}
	}
	same := real == nil == (fake == nil) && fmt.Sprintf("%T", real) == fmt.Sprintf("%T", fake)
	if same && (slices.Contains(varying, fieldName(path)) || fmt.Sprint(real) == fmt.Sprint(fake)) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %v, not %v", path, real, fake)}
}

// fieldName is the last step of the path that is no place in a list.
func fieldName(path string) string {
	path = strings.TrimRight(path, "0123456789.")
	return path[strings.LastIndex(path, ".")+1:]
}

func diffObject(path string, real, fake map[string]any) []string {
	if path == "nodes" { // keyed by id: the first of each are compared
		return diffFirst(path, real, fake)
	}
	var found []string
	for _, key := range slices.Sorted(maps.Keys(real)) {
		if key == "caused_by" {
			continue
		}
		at := strings.TrimPrefix(path+"."+key, ".")
		if _, ok := fake[key]; !ok {
			found = append(found, at+": missing in the fake")
			continue
		}
		found = append(found, diff(at, real[key], fake[key])...)
	}
	for _, key := range slices.Sorted(maps.Keys(fake)) {
		if _, ok := real[key]; !ok && key != "caused_by" {
			found = append(found, strings.TrimPrefix(path+"."+key, ".")+": in the fake alone")
		}
	}
	return found
}

func diffFirst(path string, real, fake map[string]any) []string {
	if len(real) != len(fake) {
		return []string{fmt.Sprintf("%s: %d, not %d", path, len(real), len(fake))}
	}
	for _, r := range real {
		for _, f := range fake {
			return diff(path+".*", r, f)
		}
	}
	return nil
}

func diffList(path string, real, fake []any) []string {
	if len(real) != len(fake) {
		return []string{fmt.Sprintf("%s: %d elements, not %d", path, len(real), len(fake))}
	}
	var found []string
	for i := range real {
		found = append(found, diff(fmt.Sprintf("%s.%d", path, i), real[i], fake[i])...)
	}
	return found
}
