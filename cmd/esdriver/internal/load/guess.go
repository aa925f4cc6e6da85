package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sampleRows is how many rows of each file a mapping is guessed from.
const sampleRows = 1000

// Texts up to keywordBytes become keywords, which SQL compares and groups by; longer ones are for full-text search.
const keywordBytes = 256

// maxKeyword is how many characters of a keyword are indexed: as many as surely are within Lucene's 32,766 bytes.
const maxKeyword = 8191

// layouts are the dates that are known, with what a mapping must say of them; empty where it is the default.
var layouts = []struct{ layout, format string }{
	{time.RFC3339, ""},
	{time.DateOnly, ""},
	{"2006-01-02T15:04:05", ""},
	{time.DateTime, "yyyy-MM-dd HH:mm:ss"},
}

// guess is what is thought of one field.
type guess struct {
	fieldType string // empty while no value was seen
	format    string // of a date
	longest   int
}

// sample guesses the types of the fields of files from their first rows.
func sample(files []string) (map[string]*guess, error) {
	fields := map[string]*guess{}
	for _, name := range files {
		if err := sampleFile(name, fields); err != nil {
			return nil, fmt.Errorf("load: %s: %w", name, err)
		}
	}
	return fields, nil
}

func sampleFile(name string, fields map[string]*guess) (err error) {
	s, err := openSource(name, place{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for range sampleRows {
		r, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if r.bad == nil {
			look(&r, fields)
		}
	}
	return nil
}

// look takes in a row.
func look(r *row, fields map[string]*guess) {
	if r.names == nil {
		var document map[string]any
		decoder := json.NewDecoder(strings.NewReader(string(r.line)))
		decoder.UseNumber()
		if decoder.Decode(&document) == nil {
			lookInto("", document, fields)
		}
		return
	}
	for i, text := range r.fields {
		if text != "" {
			field(fields, r.names[i]).take(kindOfText(text), text)
		}
	}
}

func lookInto(prefix string, document map[string]any, fields map[string]*guess) {
	for name, value := range document {
		lookAt(prefix+name, value, fields)
	}
}

func lookAt(name string, value any, fields map[string]*guess) {
	switch v := value.(type) {
	case map[string]any:
		lookInto(name+".", v, fields)
	case []any:
		for _, element := range v {
			lookAt(name, element, fields)
		}
	case bool:
		field(fields, name).take("boolean", "")
	case json.Number:
		field(fields, name).take(kindOfText(v.String()), v.String())
	case string:
		field(fields, name).take(kindOfDate(v), v)
	}
}

func field(fields map[string]*guess, name string) *guess {
	if fields[name] == nil {
		fields[name] = &guess{}
	}
	return fields[name]
}

// take takes in a value of a type; the types of all values together are the narrowest that holds them.
func (g *guess) take(kind, text string) {
	kind, format, _ := strings.Cut(kind, ":")
	g.longest = max(g.longest, len(text))
	switch {
	case g.fieldType == "":
		g.fieldType, g.format = kind, format
	case g.fieldType == kind && g.format == format:
	case numbers[g.fieldType] && numbers[kind]:
		g.fieldType = "double"
	default:
		g.fieldType, g.format = "keyword", ""
	}
}

// kindOfText is the type of a CSV field. A number with leading zeros is a name, and so is one that no long holds.
func kindOfText(text string) string {
	switch {
	case text == "true" || text == "false":
		return "boolean"
	case !isNumber(text):
		return kindOfDate(text)
	case strings.ContainsAny(text, ".eE"):
		return "double"
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return "keyword"
	}
	return "long"
}

// kindOfDate is the type of a text: date, with its format behind a colon, or keyword.
func kindOfDate(text string) string {
	for _, l := range layouts {
		if _, err := time.Parse(l.layout, text); err == nil {
			return "date:" + l.format
		}
	}
	return "keyword"
}

// propertiesOf returns the mapping's properties. What is part of an object is nested in it.
func propertiesOf(fields map[string]*guess) map[string]any {
	all := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		within := all
		parts := strings.Split(name, ".")
		for _, part := range parts[:len(parts)-1] {
			within = object(within, part)
		}
		if within != nil {
			within[parts[len(parts)-1]] = fields[name].property()
		}
	}
	return all
}

// object returns the properties of an object within others; nil if a field of that name holds values too, which no
// mapping can say.
func object(within map[string]any, name string) map[string]any {
	if within == nil {
		return nil
	}
	if within[name] == nil {
		within[name] = map[string]any{"properties": map[string]any{}}
	}
	inner, _ := within[name].(map[string]any)["properties"].(map[string]any)
	return inner
}

func (g *guess) property() map[string]any {
	switch {
	case g.fieldType == "keyword" && g.longest > keywordBytes:
		return map[string]any{"type": "text"}
	case g.fieldType == "keyword":
		return map[string]any{"type": "keyword", "ignore_above": maxKeyword}
	case g.format != "":
		return map[string]any{"type": g.fieldType, "format": g.format}
	}
	return map[string]any{"type": g.fieldType}
}
