package sqlite

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/esdriver/esdriver/fakecluster"
)

// stamp is the form of times in SQLite: text of one length, so that its order is that of the times.
const stamp = "2006-01-02T15:04:05.000000000Z"

// several marks a text that holds the JSON of a field with several values.
const several = "\x00"

// wireType is the type a field has in an answer; "" if the flavor does not show it.
func wireType(flavor fakecluster.Flavor, f fakecluster.TableField) string {
	switch f.Type {
	case "long", "integer", "short", "byte", "double", "float", "boolean", "keyword", "text", "ip", "binary", "geo_point":
		return f.Type
	case "date", "date_nanos":
		return timeType(flavor, f)
	}
	if flavor == fakecluster.OpenSearch {
		return map[string]string{"scaled_float": "double", "half_float": "float"}[f.Type]
	}
	same := map[string]string{"constant_keyword": "keyword", "wildcard": "keyword", "match_only_text": "text"}
	if t, ok := same[f.Type]; ok {
		return t
	}
	switch f.Type {
	case "scaled_float", "half_float", "unsigned_long", "version", "geo_shape", "shape":
		return f.Type
	}
	return ""
}

// timeType tells dates and times apart on OpenSearch by the mapping's format.
func timeType(flavor fakecluster.Flavor, f fakecluster.TableField) string {
	switch {
	case flavor == fakecluster.Elasticsearch:
		return "datetime"
	case f.Format == "yyyy-MM-dd" || f.Format == "strict_date" || f.Format == "date":
		return "date"
	case f.Format == "HH:mm:ss" || f.Format == "hour_minute_second":
		return "time"
	}
	return "timestamp"
}

func isTime(wire string) bool {
	return wire == "datetime" || wire == "timestamp" || wire == "date" || wire == "time"
}

// affinity is the SQLite type a column is declared with.
func affinity(wire string) string {
	switch wire {
	case "long", "integer", "short", "byte", "boolean":
		return "INTEGER"
	case "double", "float", "half_float", "scaled_float":
		return "REAL"
	}
	return "TEXT"
}

// stored is the value SQLite keeps.
func stored(v any) driver.Value {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case time.Time:
		return v.UTC().Format(stamp)
	case uint64:
		return strconv.FormatUint(v, 10)
	case netip.Addr:
		return v.String()
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = stored(e)
		}
		b, _ := json.Marshal(list) // scalars only
		return several + string(b)
	case nil, int64, float64, string:
		return v
	}
	b, _ := json.Marshal(v) // it came from JSON
	return string(b)
}

// shown turns a value from SQLite into one of the wire type.
func shown(v any, wire string) any {
	if s, ok := v.(string); ok {
		if list, ok := strings.CutPrefix(s, several); ok {
			return shownList(list, wire)
		}
	}
	switch {
	case v == nil:
		return nil
	case wire == "boolean":
		return fmt.Sprint(v) == "1"
	case isTime(wire):
		if t, err := time.Parse(stamp, fmt.Sprint(v)); err == nil {
			return t
		}
	case wire == "unsigned_long":
		if n, err := strconv.ParseUint(fmt.Sprint(v), 10, 64); err == nil {
			return n
		}
	case wire == "geo_point" || wire == "geo_shape" || wire == "shape":
		if json.Valid([]byte(fmt.Sprint(v))) {
			return json.RawMessage(fmt.Sprint(v))
		}
	}
	return v
}

func shownList(list, wire string) any {
	d := json.NewDecoder(strings.NewReader(list))
	d.UseNumber()
	var vs []any
	_ = d.Decode(&vs) // made by stored
	for i, v := range vs {
		if n, ok := v.(json.Number); ok && wire == "boolean" {
			v = n.String()
		}
		vs[i] = shown(v, wire)
	}
	return vs
}

var timeForms = []string{
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02", "15:04:05",
}

// parseTime reads a time literal and returns it as SQLite keeps it.
func parseTime(s string, loc *time.Location) (string, error) {
	for _, form := range timeForms {
		if t, err := time.ParseInLocation(form, s, loc); err == nil {
			return t.UTC().Format(stamp), nil
		}
	}
	return "", fmt.Errorf("failed to parse date field [%s] with format [strict_date_optional_time||epoch_millis]", s)
}
