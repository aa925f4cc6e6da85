package sqlapi

import (
	"time"

	"github.com/go-json-experiment/json"
)

// tableMeta is the member "sql" of a mapping's _meta: what CREATE TABLE says and a mapping cannot.
type tableMeta struct {
	Key     string       `json:"pk,omitzero"` // the column of the primary key
	Columns []columnMeta `json:"columns"`     // in the order of CREATE TABLE
}

// columnMeta is one column of it.
type columnMeta struct {
	Name    string       `json:"name"`
	Type    string       `json:"type"` // as CREATE TABLE spells it: VARCHAR(20)
	NotNull bool         `json:"not_null,omitzero"`
	Auto    bool         `json:"auto,omitzero"` // the client makes a value where an INSERT gives none
	Default *defaultMeta `json:"default,omitzero"`
}

// defaultMeta is the DEFAULT of a column: a constant, or the time of the INSERT.
type defaultMeta struct {
	Value any  `json:"value,omitzero"`
	Now   bool `json:"now,omitzero"`
}

// value returns the default at that time.
func (d *defaultMeta) value(now time.Time) any {
	if d.Now {
		return now
	}
	return d.Value
}

// parseMeta reads a mapping's _meta. What is not ours is returned beside it, to be kept; what looks like ours and is
// not is treated so too.
func parseMeta(meta any) (tableMeta, map[string]any) {
	var ours tableMeta
	rest, _ := meta.(map[string]any)
	text, err := json.Marshal(rest["sql"])
	if err != nil || json.Unmarshal(text, &ours, decodeOptions...) != nil {
		return tableMeta{}, rest
	}
	return ours, rest
}

// with returns the whole of _meta with ours in it.
func (m tableMeta) with(rest map[string]any) map[string]any {
	all := map[string]any{"sql": m}
	for name, v := range rest {
		if name != "sql" {
			all[name] = v
		}
	}
	return all
}
