package fakecluster

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parseDate reads a date by one of the formats, which are separated by ||. Named formats are those that
// mappings use most; others are read as Java patterns.
func parseDate(s, formats string, loc *time.Location) (time.Time, error) {
	t, _, err := parseDateUnit(s, formats, loc)
	return t, err
}

// parseDateUnit is parseDate with the smallest unit that the text tells: y, M, d, H, m or s; empty for an exact time.
func parseDateUnit(s, formats string, loc *time.Location) (time.Time, string, error) {
	for format := range strings.SplitSeq(formats, "||") {
		if t, unit, ok := parseDateAs(s, format, loc); ok {
			return t.UTC(), unit, nil
		}
	}
	return time.Time{}, "", fmt.Errorf("failed to parse date field [%s] with format [%s]", s, formats)
}

func parseDateAs(s, format string, loc *time.Location) (t time.Time, unit string, ok bool) {
	switch format {
	case "epoch_millis", "epoch_second":
		t, ok = parseEpoch(s, format)
		return t, "", ok
	case "strict_date_optional_time", "strict_date_optional_time_nanos", "date_optional_time", "iso8601", "strict_date_time", "date_time":
		t, ok = parseISO(s, loc)
		return t, isoUnit(s), ok
	case "strict_date", "date":
		format = "yyyy-MM-dd"
	case "basic_date":
		format = "yyyyMMdd"
	}
	t, err := time.ParseInLocation(goLayout(format), s, loc)
	return t, patternUnit(format), err == nil
}

// patternUnit is the smallest unit of a Java date pattern.
func patternUnit(format string) string {
	if strings.Contains(format, "S") {
		return ""
	}
	for _, unit := range []string{"s", "m", "H", "d", "M"} {
		if strings.Contains(format, unit) {
			return unit
		}
	}
	return "y"
}

func parseEpoch(s, format string) (time.Time, bool) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return time.Time{}, false
	}
	if format == "epoch_second" {
		return time.Unix(int64(n), 0), true
	}
	if whole, err := strconv.ParseInt(s, 10, 64); err == nil {
		return time.UnixMilli(whole), true
	}
	return time.UnixMicro(int64(n * 1000)), true
}

var isoLayouts = []string{
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02T15", "2006-01-02", "2006-01", "2006",
}

// isoShape keeps layouts from accepting what strict formats refuse.
var isoShape = regexp.MustCompile(`^\d{4}(-\d\d(-\d\d(T(\d\d(:\d\d(:\d\d([.,]\d{1,9})?)?)?(Z|[+-]\d\d(:?\d\d)?)?)?)?)?)?$`)

func parseISO(s string, loc *time.Location) (time.Time, bool) {
	if !isoShape.MatchString(s) {
		return time.Time{}, false
	}
	for _, layout := range isoLayouts {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// isoUnit is the smallest unit that an ISO date tells.
func isoUnit(s string) string {
	part := isoShape.FindStringSubmatch(s)
	if part == nil || part[7] != "" {
		return ""
	}
	for _, unit := range []struct {
		group int
		name  string
	}{{6, "s"}, {5, "m"}, {4, "H"}, {2, "d"}, {1, "M"}} {
		if part[unit.group] != "" {
			return unit.name
		}
	}
	return "y"
}

// goLayout translates a Java date pattern; the order keeps longer runs first.
func goLayout(pattern string) string {
	return strings.NewReplacer(
		"yyyy", "2006", "uuuu", "2006", "MM", "01", "dd", "02", "HH", "15", "mm", "04", "ss", "05",
		".SSSSSSSSS", ".000000000", ".SSSSSS", ".000000", ".SSS", ".000", "SSS", "000",
		"XXX", "Z07:00", "XX", "Z0700", "X", "Z07", "Z", "-0700", "'T'", "T", "'", "",
	).Replace(pattern)
}
