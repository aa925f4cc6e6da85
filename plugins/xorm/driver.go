package esxorm

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"xorm.io/xorm"
	"xorm.io/xorm/core"
	"xorm.io/xorm/dialects"
	"xorm.io/xorm/schemas"

	"github.com/esdriver/esdriver"
)

// Name is both the driver's name in database/sql and the dialect's in xorm.
const Name = "esdriver"

func init() {
	dialects.RegisterDriver(Name, driver{})
	dialects.RegisterDialect(Name, func() dialects.Dialect { return &dialect{} })
}

// Open returns an engine on the cluster that the DSN names; its Close closes the cluster. A DSN that is wrong is an
// error; a cluster that is down is none before the first statement. The engine's DatabaseTZ is the DSN's time_zone.
func Open(dsn string) (*xorm.Engine, error) {
	config, err := esdriver.ParseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("esxorm: %w", err)
	}
	zone, err := location(config.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("esxorm: time_zone: %w", err)
	}
	engine, err := xorm.NewEngine(Name, dsn)
	if err != nil {
		return nil, fmt.Errorf("esxorm: %w", err)
	}
	engine.DatabaseTZ = zone
	return engine, nil
}

// location is the zone of an IANA name or an offset such as +05:30, as time_zone has them; UTC for none.
func location(name string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", name); err == nil {
		_, offset := t.Zone()
		return time.FixedZone(name, offset), nil
	}
	return time.LoadLocation(name)
}

// driver is what xorm wants to know of a database/sql driver.
type driver struct{}

var _ dialects.Driver = driver{}

// Parse checks the DSN.
func (driver) Parse(_, dsn string) (*dialects.URI, error) {
	if _, err := esdriver.ParseDSN(dsn); err != nil {
		return nil, fmt.Errorf("esxorm: %w", err)
	}
	return &dialects.URI{DBType: Name}, nil
}

// Features says that LastInsertId is a key.
func (driver) Features() *dialects.DriverFeatures {
	return &dialects.DriverFeatures{SupportReturnInsertedID: true}
}

// GenScanResult returns what a column is scanned into that no field of a struct is for.
func (driver) GenScanResult(typ string) (any, error) {
	switch kind(typ) {
	case schemas.BOOL_TYPE:
		return &sql.NullBool{}, nil
	case schemas.NUMERIC_TYPE:
		return number(typ), nil
	case schemas.TIME_TYPE:
		return &sql.NullTime{}, nil
	case schemas.BLOB_TYPE:
		return &sql.RawBytes{}, nil
	}
	return &sql.NullString{}, nil
}

// number is what a number is scanned into. One of 64 bits without a sign stays a text.
func number(typ string) any {
	switch strings.ToLower(typ) {
	case "byte", "short", "integer", "long":
		return &sql.NullInt64{}
	case "unsigned_long":
		return &sql.NullString{}
	}
	return &sql.NullFloat64{}
}

// Scan reads a row. xorm reads times as texts and takes one that ends in Z for the time of another zone unless it has a
// fraction, and fails for zones west of Greenwich (v1.4.3, convert/time.go); so texts of times become UTC with a fraction.
func (driver) Scan(_ *dialects.ScanContext, rows *core.Rows, types []*sql.ColumnType, to ...any) error {
	if err := rows.Scan(to...); err != nil {
		return err
	}
	for i, t := range types {
		if s, ok := to[i].(*sql.NullString); ok && schemas.TIME_TYPE == kind(t.DatabaseTypeName()) {
			s.String = exact(s.String)
		}
	}
	return nil
}

// exact is the text of a time in UTC and with a fraction; what is no such text stays.
func exact(text string) string {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000000Z07:00")
}
