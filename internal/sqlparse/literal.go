package sqlparse

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ElasticString returns s as a string literal of Elasticsearch SQL, where only the doubled quote is special.
// A string that is not UTF-8 is refused, as no JSON text carries it.
func ElasticString(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", &LiteralError{Flavor: Elasticsearch, Type: "string", Msg: "it is not UTF-8"}
	}
	return quote(s, '\''), nil
}

// OpenSearchString returns s as a string literal of OpenSearch SQL at that version. Whatever s holds, the literal
// stands for s and ends where it ends. What cannot be written so is a [*LiteralError]: a string that is not UTF-8, and
// up to 2.x one that ends in an odd number of backslashes. When the version is not known and s holds a backslash, the
// error is [ErrVersionUnknown].
//
// Source: the lexer of all versions takes a backslash and the next character together (OpenSearchSQLLexer.g4,
// SQUOTA_STRING); 3.x then reads \\ \' \" as one character each (StringUtils.java, PR #1206), 1.x and 2.x read nothing
// but the doubled quote. Recorded on 2.19.6 and 3.8.0.
func OpenSearchString(s string, v Version) (string, error) {
	switch {
	case !utf8.ValidString(s):
		return "", &LiteralError{Flavor: OpenSearch, Type: "string", Msg: "it is not UTF-8"}
	case !strings.Contains(s, `\`):
		return quote(s, '\''), nil
	case v.IsZero():
		return "", &LiteralError{Flavor: OpenSearch, Type: "string", Err: ErrVersionUnknown}
	case v.Major >= 3:
		return quote(strings.ReplaceAll(s, `\`, `\\`), '\''), nil
	}
	return pairedString(s)
}

// pairedString writes s for the versions that pair a backslash with the next character and keep both. A quote that
// falls into such a pair is not doubled.
func pairedString(s string) (string, error) {
	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteByte('\'')
	paired := false // whether the next character belongs to the backslash before it
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' && !paired {
			b.WriteByte('\'')
		}
		b.WriteByte(s[i])
		paired = s[i] == '\\' && !paired
	}
	if paired {
		return "", &LiteralError{Flavor: OpenSearch, Type: "string",
			Msg: "before 3.0 a string cannot end in an odd number of backslashes"}
	}
	b.WriteByte('\'')
	return b.String(), nil
}

// openSearchString is OpenSearchString for an argument of this statement. Up to 3.6 a statement with a join or a
// sub-query goes to the legacy engine, whose lexer has other escapes (Druid's MySqlLexer: \n, \b, \%, …).
func (s *Statement) openSearchString(v string, version Version) (string, error) {
	if s.shape.legacy && strings.Contains(v, `\`) && !version.AtLeast(3, 7) {
		return "", &LiteralError{Flavor: OpenSearch, Type: "string",
			Msg: "before 3.7 a backslash is read otherwise in a statement with a join or a sub-query"}
	}
	return OpenSearchString(v, version)
}

// OpenSearchTime returns t as a literal: TIMESTAMP '…' in UTC, with nanoseconds if there are any. Years outside
// 1 to 9999 are refused.
func OpenSearchTime(t time.Time) (string, error) {
	t = t.UTC()
	if err := checkYear(OpenSearch, t); err != nil {
		return "", err
	}
	layout := "2006-01-02 15:04:05"
	if t.Nanosecond() != 0 {
		layout = "2006-01-02 15:04:05.000000000"
	}
	return "TIMESTAMP '" + t.Format(layout) + "'", nil
}

// OpenSearchLiteral returns a value as a literal of OpenSearch SQL at that version. The values are those of [Arg];
// one that cannot be written exactly is a [*LiteralError].
func OpenSearchLiteral(value any, v Version) (string, error) {
	return openSearchLiteral(value, func(s string) (string, error) { return OpenSearchString(s, v) })
}

func openSearchLiteral(value any, str func(string) (string, error)) (string, error) {
	switch v := value.(type) {
	case nil:
		return "NULL", nil
	case bool:
		return strings.ToUpper(strconv.FormatBool(v)), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint64:
		if err := checkInt64(OpenSearch, v); err != nil {
			return "", err
		}
		return strconv.FormatUint(v, 10), nil
	case float64:
		return openSearchFloat(v)
	case string:
		return str(v)
	case time.Time:
		return OpenSearchTime(v)
	case []byte:
		return "", &LiteralError{Flavor: OpenSearch, Type: "[]byte", Msg: "it has no literal for bytes; pass a base64 string"}
	}
	return "", unknownType(OpenSearch, value)
}

// openSearchFloat writes the shortest digits that give the same float64 again, with a fraction or an exponent so
// that it is no integer, and no plus, which the lexers of 1.x and 2.x do not take in an exponent.
func openSearchFloat(f float64) (string, error) {
	if err := checkFinite(OpenSearch, f); err != nil {
		return "", err
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && size < 1e-6 || size >= 1e21 {
		format = 'E'
	}
	text := strings.Replace(strconv.FormatFloat(f, format, -1, 64), "+", "", 1)
	if !strings.ContainsAny(text, ".E") {
		text += ".0"
	}
	return text, nil
}

// elasticParam returns a value as Elasticsearch takes it in params: bytes as base64, as its binary fields are read;
// a time in UTC as ISO 8601, which keeps nanoseconds.
func elasticParam(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, int64:
		return v, nil
	case uint64:
		return int64(v), checkInt64(Elasticsearch, v)
	case float64:
		return v, checkFinite(Elasticsearch, v)
	case string:
		if !utf8.ValidString(v) {
			return nil, &LiteralError{Flavor: Elasticsearch, Type: "string", Msg: "it is not UTF-8"}
		}
		return v, nil
	case []byte:
		return base64.StdEncoding.EncodeToString(v), nil
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano), checkYear(Elasticsearch, v.UTC())
	}
	return nil, unknownType(Elasticsearch, value)
}

// checkInt64 refuses what Elasticsearch clamps in silence and OpenSearch does not read.
func checkInt64(f Flavor, v uint64) error {
	if v > math.MaxInt64 {
		return &LiteralError{Flavor: f, Type: "uint64", Msg: "it is beyond int64; CAST a string where the server can"}
	}
	return nil
}

func checkFinite(f Flavor, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return &LiteralError{Flavor: f, Type: "float64", Msg: "NaN and the infinities have no literal"}
	}
	return nil
}

func checkYear(f Flavor, t time.Time) error {
	if y := t.Year(); y < 1 || y > 9999 {
		return &LiteralError{Flavor: f, Type: "time.Time", Msg: fmt.Sprintf("the year %d is not one of 1 to 9999", y)}
	}
	return nil
}

func unknownType(f Flavor, value any) error {
	return &LiteralError{Flavor: f, Type: fmt.Sprintf("%T", value), Msg: "no such type is an argument"}
}
