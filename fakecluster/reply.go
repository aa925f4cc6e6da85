package fakecluster

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// reply is an answer before it is sent.
type reply struct {
	status int
	header http.Header // may be nil
	body   []byte
}

func (r *reply) set(key, value string) *reply {
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set(key, value)
	return r
}

// object is a JSON object that keeps the order of its fields, given as name, value, name, value.
type object []any

// MarshalJSON writes the fields in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i+1 < len(o); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(o[i]))
		b.WriteByte(':')
		b.Write(encode(o[i+1]))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// with returns the object with more fields at its end.
func (o object) with(fields ...any) object {
	return append(append(object{}, o...), fields...)
}

// without returns the object without the field.
func (o object) without(name string) object {
	for i := 0; i+1 < len(o); i += 2 {
		if o[i] == name {
			return append(append(object{}, o[:i]...), o[i+2:]...)
		}
	}
	return o
}

// encode writes JSON as the servers do: compact, without HTML escapes. Every value the fake encodes comes
// from JSON or from its own code, so an error is a bug.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("fakecluster: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func jsonReply(status int, v any) *reply { return &reply{status: status, body: encode(v)} }

func acknowledged() *reply { return jsonReply(200, object{"acknowledged", true}) }

// failure is the servers' description of an error: type, reason and further fields.
func failure(kind, reason string, more ...any) object {
	return object{"type", kind, "reason", reason}.with(more...)
}

// errorReply is an error in the shape both products share.
func errorReply(status int, f object) *reply {
	body := object{"root_cause", []object{f.without("caused_by")}}.with(f...)
	return jsonReply(status, object{"error", body, "status", status})
}

// apiError is an error with its answer. Operations return it as error; the handler turns it into a reply.
type apiError struct {
	status int
	fail   object
}

func (e *apiError) Error() string { return string(encode(e.fail)) }

func fail(status int, kind, reason string, more ...any) error {
	return &apiError{status: status, fail: failure(kind, reason, more...)}
}

// stamp adds the headers every answer of this product and version has. Elasticsearch does not tell strangers what it is.
func (c *Cluster) stamp(x *exchange) {
	r := x.reply
	if c.cfg.flavor == Elasticsearch && c.release.atLeast(7, 14) && r.status != http.StatusUnauthorized {
		r.set("X-Elastic-Product", "Elasticsearch")
	}
	if c.cfg.flavor == OpenSearch && c.release.atLeast(3, 9) {
		r.set("X-OpenSearch-Version", "OpenSearch/"+c.cfg.version+" (opensearch)")
	}
	if r.header.Get("Content-Type") == "" {
		r.set("Content-Type", c.contentType(x.r))
	}
	if id := x.r.Header.Get("X-Opaque-Id"); id != "" {
		r.set("X-Opaque-Id", id)
	}
}

// contentType follows Elasticsearch 8: no charset, and a versioned media type is answered by the same.
func (c *Cluster) contentType(r *http.Request) string {
	if c.cfg.flavor == OpenSearch || !c.release.atLeast(8, 0) {
		return "application/json; charset=UTF-8"
	}
	if v := compatibleWith(r.Header.Get("Accept")); v != "" && c.compatible(v) {
		return "application/vnd.elasticsearch+json;compatible-with=" + v
	}
	return "application/json"
}

// errorReplyCaused is an error with its cause, which the root causes leave out.
func errorReplyCaused(status int, f, cause object) *reply {
	body := object{"root_cause", []object{f}}.with(f...).with("caused_by", cause)
	return jsonReply(status, object{"error", body, "status", status})
}
