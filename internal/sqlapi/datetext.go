package sqlapi

import (
	"strconv"
	"strings"
	"time"
)

// defaultFormats are those of a date without a format in its mapping.
var defaultFormats = []string{"strict_date_optional_time", "epoch_millis"}

// dateFormats splits a mapping's format.
func dateFormats(format string) []string { return strings.Split(format, "||") }

func (f *field) dateFormats() []string {
	if len(f.formats) == 0 {
		return defaultFormats
	}
	return f.formats
}

// instant reads a point in time, cut to what the type keeps: a time.Time, a text in ISO 8601 or SQL's form or one of
// the mapping's formats, in the session's time zone unless it names one, or a number in the mapping's epoch format.
func (f *field) instant(v any) (any, error) {
	switch v := v.(type) {
	case time.Time:
		return f.cut(v), nil
	case string:
		if t, ok := f.parseText(v); ok {
			return f.cut(t), nil
		}
		return nil, &valueError{stateTimeText, "the text is no point in time"}
	}
	if t, ok := f.parseEpoch(v); ok {
		return f.cut(t), nil
	}
	return nil, f.misfit(v)
}

// cut drops what the type does not keep.
func (f *field) cut(t time.Time) time.Time {
	t = t.UTC()
	if f.typ == "date" {
		t = t.Add(-time.Duration(t.Nanosecond() % int(time.Millisecond)))
	}
	return t
}

func (f *field) parseText(text string) (time.Time, bool) {
	if t, ok := parseTimeIn(text, f.zone); ok {
		return t, true
	}
	for _, format := range f.formats {
		if layout, ok := goLayout(format); ok {
			if t, err := time.ParseInLocation(layout, text, f.zone); err == nil {
				return t, true
			}
		}
	}
	return f.parseEpoch(numberOf(text))
}

func (f *field) parseEpoch(v any) (time.Time, bool) {
	x, ok := asFloat(v)
	if !ok {
		return time.Time{}, false
	}
	for _, format := range f.dateFormats() {
		switch format {
		case "epoch_millis":
			if i, ok := v.(int64); ok {
				return time.UnixMilli(i), true
			}
			return time.UnixMicro(int64(x * 1e3)), true
		case "epoch_second":
			return time.UnixMicro(int64(x * 1e6)), true
		}
	}
	return time.Time{}, false
}

// parseTimeIn is parseTime for texts that name no zone and mean another than UTC.
func parseTimeIn(text string, zone *time.Location) (time.Time, bool) {
	t, ok := parseTime([]byte(text))
	if !ok || zone == time.UTC || zone == nil || namesZone(text) {
		return t, ok
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone), true
}

// namesZone reports whether a text that parseTime reads ends in Z or an offset.
func namesZone(text string) bool {
	if strings.HasSuffix(text, "Z") {
		return true
	}
	at := strings.IndexByte(text, ':')
	return at > 0 && strings.ContainsAny(text[at:], "+-")
}

const (
	isoMillis = "2006-01-02T15:04:05.000Z"
	isoNanos  = "2006-01-02T15:04:05.000000000Z"
)

// iso writes an instant with all the digits that the type keeps. Years beyond four digits have another form.
func (f *field) iso(t time.Time) (string, error) {
	if t.Year() < 0 || t.Year() > 9999 {
		return "", &valueError{stateTimeText, "a year outside of 0 to 9999 cannot be sent"}
	}
	if f.typ == "date_nanos" {
		return t.Format(isoNanos), nil
	}
	return t.Format(isoMillis), nil
}

// writeTime writes an instant in the first of the mapping's formats that is known.
func (f *field) writeTime(t time.Time) (any, error) {
	for _, format := range f.dateFormats() {
		switch format {
		case "epoch_millis":
			return t.UnixMilli(), nil
		case "epoch_second":
			return t.Unix(), nil
		case "strict_date_optional_time", "date_optional_time", "strict_date_optional_time_nanos", "iso8601",
			"strict_date_time", "date_time":
			return f.iso(t)
		}
		if layout, ok := goLayout(format); ok {
			return t.Format(layout), nil
		}
	}
	return nil, &valueError{stateUnsupported, "the date format " + strconv.Quote(strings.Join(f.formats, "||")) + " is not known"}
}

// namedLayouts are formats with a name.
var namedLayouts = map[string]string{
	"strict_date": "2006-01-02", "date": "2006-01-02", "basic_date": "20060102",
	"strict_date_hour_minute_second": "2006-01-02T15:04:05", "date_hour_minute_second": "2006-01-02T15:04:05",
	"strict_date_time_no_millis": "2006-01-02T15:04:05Z07:00", "date_time_no_millis": "2006-01-02T15:04:05Z07:00",
	"basic_date_time": "20060102T150405.000Z0700", "basic_date_time_no_millis": "20060102T150405Z0700",
}

// layoutParts are the letters of Java's patterns, by their run.
var layoutParts = map[string]string{
	"yyyy": "2006", "uuuu": "2006", "yy": "06", "MM": "01", "MMM": "Jan", "dd": "02", "HH": "15", "hh": "03", "mm": "04", "ss": "05",
	"SSS": "000", "SSSSSS": "000000", "SSSSSSSSS": "000000000", "a": "PM", "XXX": "Z07:00", "XX": "Z0700", "X": "Z07", "Z": "-0700",
	"EEE": "Mon",
}

// goLayout translates a format to a layout of package time; false when it has something that is not known.
func goLayout(format string) (string, bool) {
	if layout, ok := namedLayouts[format]; ok {
		return layout, true
	}
	var b strings.Builder
	for at := 0; at < len(format); {
		c := format[at]
		end := at + 1
		switch {
		case c == '\'':
			quoted, rest, closed := strings.Cut(format[at+1:], "'")
			if !closed {
				return "", false
			}
			b.WriteString(quoted)
			end = len(format) - len(rest)
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			for end < len(format) && format[end] == c {
				end++
			}
			part, ok := layoutParts[format[at:end]]
			if !ok {
				return "", false
			}
			b.WriteString(part)
		default:
			b.WriteByte(c)
		}
		at = end
	}
	return b.String(), b.Len() > 0
}
