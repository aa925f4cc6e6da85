package fakecluster

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// instant is a date of a query, with what it leaves open.
type instant struct {
	at   time.Time
	unit string // the smallest part that is told: y, M, d, H, m or s; empty for an exact one
	loc  *time.Location
}

// first and last are the ends of what the instant may mean: 2024-01-31 is the whole day.
func (i instant) first() time.Time { return i.at }

func (i instant) last() time.Time {
	if i.unit == "" {
		return i.at
	}
	return shift(i.at.In(i.loc), i.unit, 1).Add(-time.Millisecond).UTC()
}

var dateSteps = regexp.MustCompile(`([+-]\d*|/)([yMwdhHms])`)

// instantOf reads a date of a query: now, or a date and || before any step, then steps such as -1d or /M.
func (f *field) instantOf(v any, now time.Time, loc *time.Location) (instant, error) {
	text := fmt.Sprint(v)
	anchor, steps, math := strings.Cut(text, "||")
	if rest, isNow := strings.CutPrefix(text, "now"); isNow {
		anchor, steps, math = "now", rest, true
	}
	if dateSteps.ReplaceAllString(steps, "") != "" {
		return instant{}, fmt.Errorf("failed to parse date field [%s] with format [%s]", text, f.format())
	}
	i := instant{at: now, loc: loc}
	if anchor != "now" {
		t, unit, err := parseDateUnit(anchor, f.format(), loc)
		if err != nil {
			return instant{}, err
		}
		i.at, i.unit = t, unit
	}
	if math {
		i.unit = ""
	}
	for _, step := range dateSteps.FindAllStringSubmatch(steps, -1) {
		i = i.step(step[1], step[2])
	}
	return i, nil
}

// step moves the instant by a number of units, or cuts it to the unit.
func (i instant) step(by, unit string) instant {
	if by == "/" {
		return instant{truncate(i.at.In(i.loc), unit).UTC(), unit, i.loc}
	}
	if by == "+" || by == "-" {
		by += "1"
	}
	n, _ := strconv.Atoi(by)
	return instant{shift(i.at.In(i.loc), unit, n).UTC(), "", i.loc}
}

func shift(t time.Time, unit string, n int) time.Time {
	switch unit {
	case "y":
		return t.AddDate(n, 0, 0)
	case "M":
		return t.AddDate(0, n, 0)
	case "w":
		return t.AddDate(0, 0, 7*n)
	case "d":
		return t.AddDate(0, 0, n)
	}
	sizes := map[string]time.Duration{"h": time.Hour, "H": time.Hour, "m": time.Minute, "s": time.Second}
	return t.Add(time.Duration(n) * sizes[unit])
}

// truncate cuts to the begin of the unit; weeks begin on Monday.
func truncate(t time.Time, unit string) time.Time {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	switch unit {
	case "y":
		month, day, hour, minute, second = 1, 1, 0, 0, 0
	case "M":
		day, hour, minute, second = 1, 0, 0, 0
	case "w":
		day, hour, minute, second = day-(int(t.Weekday())+6)%7, 0, 0, 0
	case "d":
		hour, minute, second = 0, 0, 0
	case "h", "H":
		minute, second = 0, 0
	case "m":
		second = 0
	}
	return time.Date(year, month, day, hour, minute, second, 0, t.Location())
}
