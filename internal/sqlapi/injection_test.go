package sqlapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// literals reads a statement as OpenSearch's lexer of a major version does, and returns the strings in single quotes and
// what is left without them. It is written from the servers' rules and shares nothing with the code that writes: a
// backslash takes the next character with it, a doubled quote is one; 3.x reads \\ \' \" as one character, 2.x reads
// only the doubled quote so. It reports false when a literal does not end.
func literals(text string, major int) (values []string, rest string, ok bool) {
	var outside strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if runes[i] != '\'' {
			outside.WriteRune(runes[i])
			continue
		}
		var value strings.Builder
		closed := false
		for i++; i < len(runes) && !closed; i++ {
			pair := string(runes[i:min(i+2, len(runes))])
			switch {
			case pair == `''`:
				value.WriteRune('\'')
				i++
			case runes[i] == '\\' && len(pair) > 1:
				if major < 3 || !strings.ContainsRune(`\'"`, runes[i+1]) {
					value.WriteRune('\\')
				}
				value.WriteRune(runes[i+1])
				i++
			case runes[i] == '\'':
				closed = true
			default:
				value.WriteRune(runes[i])
			}
		}
		if i--; !closed {
			return nil, "", false
		}
		values = append(values, value.String())
		outside.WriteByte('0')
	}
	return values, outside.String(), true
}

// injected are statements with placeholders at places where what follows matters; in want each stands for 0.
var injected = []struct{ text, want string }{
	{"SELECT a FROM idx WHERE s = ? AND u = ? LIMIT 3", "SELECT a FROM idx WHERE s = 0 AND u = 0 LIMIT 3"},
	{"SELECT a FROM idx WHERE s IN (?,?) LIMIT 3", "SELECT a FROM idx WHERE s IN (0,0) LIMIT 3"},
	{"SELECT a FROM idx WHERE s=?AND u=?OR 1=0 LIMIT 3 -- it's", "SELECT a FROM idx WHERE s=0AND u=0OR 1=0 LIMIT 3 "},
	{"SELECT CONCAT(?, ?) AS a FROM idx LIMIT 3", "SELECT CONCAT(0, 0) AS a FROM idx LIMIT 3"},
	{"SELECT a FROM idx WHERE /* ? */ s LIKE ? OR s = ? LIMIT 3", "SELECT a FROM idx WHERE /* ? */ s LIKE 0 OR s = 0 LIMIT 3"},
}

// requireContained sends two values and requires that the statement which arrives is the one that was written, with the
// two values in its literals, or that nothing is sent.
func requireContained(t testing.TB, version string, i int, values ...string) {
	major := int(version[0] - '0')
	server := &script{}
	server.answer = func(path, body string) (int, string) {
		if path == "/" {
			return 200, fmt.Sprintf(`{"version":{"distribution":"opensearch","number":%q}}`, version)
		}
		return 200, oneRowOpenSearch
	}
	client, err := sqlapi.NewClient(sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch})
	require.NoError(t, err)
	defer client.Close()
	c := injected[i%len(injected)]
	_, _, err = readAll(context.Background(), client, c.text, named(values[0], values[1]))
	if err != nil {
		require.Less(t, major, 3, "%q: %v", values, err)
		for _, sent := range server.sent {
			require.Equal(t, "GET / ", sent, "%q: %v", values, err)
		}
		return
	}
	var sent sentJSON
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(server.sent[len(server.sent)-1], " ", 3)[2]), &sent))
	text, _, _ := strings.Cut(*sent.Query, "-- it's")
	got, rest, ok := literals(text, major)
	require.True(t, ok, "%q was sent as %s", values, *sent.Query)
	require.Equal(t, values, got, *sent.Query)
	require.Equal(t, strings.ReplaceAll(c.want, " ", ""), strings.ReplaceAll(rest, " ", ""), *sent.Query)
}

func TestArgumentsStayInTheirLiteralsOnTheWire(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	pieces := []string{`\`, `\`, `'`, `'`, `"`, `''`, `\'`, "`", "--", "-- ", " OR 1=1 -- ", "a", "n", "%", "?", "\n", "\x00", "é", "😀", "/*", "*/", "#", ";"}
	value := func() string {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	for i := range 4000 {
		values := []string{value(), value()}
		requireContained(t, "2.19.6", i, values...)
		requireContained(t, "3.8.0", i, values...)
	}
	requireContained(t, "2.19.6", 0, `\' OR 1=1 -- `, `x`)
	requireContained(t, "3.8.0", 0, `\' OR 1=1 -- `, `x`)
}

func FuzzArgumentsStayInTheirLiteralsOnTheWire(f *testing.F) {
	for _, seed := range []string{"", `'`, `\`, `\'`, `\\'`, `"\"`, `\' OR 1=1 -- `, "\n\x00😀", `\''\`} {
		f.Add(seed, seed, uint8(0))
		f.Add(seed, "x", uint8(3))
	}
	f.Fuzz(func(t *testing.T, a, b string, i uint8) {
		a, b = strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?") // others are refused
		requireContained(t, "2.19.6", int(i), a, b)
		requireContained(t, "3.8.0", int(i), a, b)
	})
}
