package fakecluster

import (
	"encoding/json"
	"fmt"
	"maps"
)

// compiled is a script that was parsed.
type compiled struct {
	run    statement
	text   string
	params map[string]any
}

// runScript compiles a script and runs it on a document.
func runScript(spec any, d *document) (source []byte, op string, err error) {
	s, err := newScript(spec)
	if err != nil {
		return nil, "", err
	}
	return s.on(d)
}

// newScript parses an update's script. The language is the small part of Painless that painless.go describes.
func newScript(spec any) (*compiled, error) {
	text, params, err := scriptOf(spec)
	if err != nil {
		return nil, err
	}
	run, err := compileScript(text)
	if err != nil {
		return nil, scriptError("compile error", text, err)
	}
	return &compiled{run, text, params}, nil
}

// on runs the script on a document and returns the new source and what to do: index, delete or none.
func (s *compiled) on(d *document) (source []byte, op string, err error) {
	fields, err := parseObject(d.source)
	if err != nil {
		return nil, "", fail(500, "illegal_state_exception", err.Error())
	}
	ctx := map[string]any{"_source": plain(fields), "op": "index", "_id": d.id, "_index": d.index.name, "_version": d.version}
	known := maps.Clone(classes)
	maps.Copy(known, names{"ctx": ctx, "params": plain(s.params)})
	if err := s.run(known); err != nil {
		return nil, "", scriptError("runtime error", s.text, err)
	}
	return scriptResult(ctx)
}

func scriptOf(spec any) (text string, params map[string]any, err error) {
	if s, ok := spec.(string); ok {
		return s, map[string]any{}, nil
	}
	o, _ := spec.(map[string]any)
	text, ok := o["source"].(string)
	if lang := o["lang"]; !ok || lang != nil && lang != "painless" {
		return "", nil, fail(400, "illegal_argument_exception", "failed to execute script",
			"caused_by", failure("illegal_argument_exception", fmt.Sprintf("script_lang not supported [%v]", o["lang"])))
	}
	return text, sub(o, "params"), nil
}

func scriptError(when, text string, err error) error {
	return fail(400, "script_exception", when, "script_stack", []string{text, "^---- HERE"}, "script", text, "lang", "painless",
		"caused_by", failure("illegal_argument_exception", err.Error()))
}

func scriptResult(ctx map[string]any) ([]byte, string, error) {
	op := fmt.Sprint(ctx["op"])
	switch op {
	case "noop":
		op = "none"
	case "none", "delete", "index":
	default:
		return nil, "", fail(400, "illegal_argument_exception", "Operation type ["+op+"] not allowed, only [noop, index, delete] are allowed")
	}
	return encode(ctx["_source"]), op, nil
}

// plain copies JSON values with int64 and float64 in place of json.Number, which scripts calculate with.
// Numbers beyond int64 stay as they are.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		if out == nil {
			out = map[string]any{}
		}
		for name, inner := range out {
			out[name] = plain(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = plain(inner)
		}
		return out
	case json.Number:
		return plainNumber(v)
	}
	return v
}

func plainNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	if x, err := n.Float64(); err == nil && json.Number(fmt.Sprint(x)) == n {
		return x
	}
	if x, err := n.Float64(); err == nil && !wholeNumber(n) {
		return x
	}
	return n
}

func wholeNumber(n json.Number) bool {
	for _, r := range n {
		if r != '-' && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}
