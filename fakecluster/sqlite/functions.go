package sqlite

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"time"

	driverlite "modernc.org/sqlite"
)

// The names of functions that SQLite lacks or that mean something else there.
func init() {
	for field, of := range map[string]func(time.Time) int{
		"year": time.Time.Year, "month": func(t time.Time) int { return int(t.Month()) }, "day": time.Time.Day,
		"day_of_month": time.Time.Day, "dayofmonth": time.Time.Day, "hour": time.Time.Hour, "minute": time.Time.Minute,
		"second": time.Time.Second, "day_of_week": func(t time.Time) int { return int(t.Weekday()) + 1 },
	} {
		register(field, 1, func(args []driver.Value) (driver.Value, error) { return timeField(args[0], of) })
	}
	register("es_time", 1, func(args []driver.Value) (driver.Value, error) {
		if args[0] == nil {
			return nil, nil
		}
		return parseTime(fmt.Sprint(args[0]), time.UTC)
	})
	register("es_int", 1, func(args []driver.Value) (driver.Value, error) { return castInt(args[0]) })
	register("now", 0, func([]driver.Value) (driver.Value, error) { return time.Now().UTC().Format(stamp), nil })
}

// castInt rounds fractions, as both products do.
func castInt(v driver.Value) (driver.Value, error) {
	if v == nil {
		return nil, nil
	}
	s := fmt.Sprint(v)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("cannot cast [%s] to [integer]", s)
	}
	return int64(math.Round(x)), nil
}

func register(name string, args int32, f func([]driver.Value) (driver.Value, error)) {
	driverlite.MustRegisterScalarFunction(name, args, func(_ *driverlite.FunctionContext, vs []driver.Value) (driver.Value, error) { return f(vs) })
}

func timeField(v driver.Value, of func(time.Time) int) (driver.Value, error) {
	if v == nil {
		return nil, nil
	}
	s, err := parseTime(fmt.Sprint(v), time.UTC)
	if err != nil {
		return nil, err
	}
	t, err := time.Parse(stamp, s)
	return int64(of(t)), err
}
