package load_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/load"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// write writes a file, compressed if its name says so, and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	content := []byte(text)
	if strings.HasSuffix(name, ".gz") {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, err := w.Write(content)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		content = zipped.Bytes()
	}
	require.NoError(t, os.WriteFile(name, content, 0o600))
	return name
}

// run loads files and returns what was shown.
func run(ctx context.Context, c *fakecluster.Cluster, files ...string) (string, error) {
	var shown bytes.Buffer
	err := load.Run(ctx, load.Config{DSN: c.DSN(), Files: files, Table: "rows", Screen: screen.New(&shown, false)})
	return shown.String(), err
}

// numbered is a CSV file of so many rows, each with its number.
func numbered(rows int) string {
	var b strings.Builder
	b.WriteString("n,text\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,row %d\n", i, i)
	}
	return b.String()
}

// requireOnce fails unless the table has each row of a numbered file, once.
func requireOnce(t *testing.T, c *fakecluster.Cluster, rows int) {
	t.Helper()
	seen := make([]int, rows)
	for _, d := range c.Docs("rows") {
		var document struct{ N int }
		require.NoError(t, json.Unmarshal(d.Source, &document))
		seen[document.N]++
	}
	for i, times := range seen {
		require.Equal(t, 1, times, "row %d", i)
	}
}

// onBulk calls do at the n-th bulk request.
func onBulk(c *fakecluster.Cluster, n int64, do func()) {
	var count atomic.Int64
	c.Inject(fakecluster.Fault{Path: "/rows/_bulk", Match: func(*http.Request) bool {
		if count.Add(1) == n {
			do()
		}
		return false
	}})
}

func sources(c *fakecluster.Cluster) []string {
	var all []string
	for _, d := range c.Docs("rows") {
		all = append(all, string(d.Source))
	}
	return all
}

// rows of long hold several batches for each sender.
const rows = 1500

// long is a CSV file of rows that are long, so that it has many batches and few rows.
func long() string {
	return strings.ReplaceAll(numbered(rows), "row ", strings.Repeat("long ", 1600))
}

func TestEachRowIsLoadedOnceWithGuessedTypes(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	file := write(t, "rows.csv", "\xef\xbb\xbfid,name,price,day,new,zip\n"+
		"1,\"A \"\"b\"\"\nc\",2,2026-01-02,true,01234\n2,é,2.5,2026-01-03,,\n")
	shown, err := run(t.Context(), c, file)
	require.NoError(t, err)
	assert.Contains(t, shown, "2 rows: 2 loaded;")
	for _, column := range []string{"id      long", "name    keyword", "price   double", "day     date", "new     boolean", "zip     keyword"} {
		assert.Contains(t, shown, column)
	}
	assert.ElementsMatch(t, []string{
		`{"id":1,"name":"A \"b\"\nc","price":2,"day":"2026-01-02","new":true,"zip":"01234"}`,
		`{"id":2,"name":"é","price":2.5,"day":"2026-01-03"}`,
	}, sources(c))
	assert.NoFileExists(t, file+".rows.journal")
	assert.NoFileExists(t, file+".rows.rejected.ndjson")
}

func TestFewRowsTakeOneRequestAndARefresh(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	_, err := run(t.Context(), c, write(t, "rows.csv", numbered(3)))
	require.NoError(t, err)
	assert.Len(t, c.Requests().Path("/rows/_bulk"), 1)
	assert.Len(t, c.Requests().Path("/rows/_refresh"), 1)
}

func TestKilledNodeLosesAndDoublesNoRow(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(3))
	killed := make(chan struct{})
	onBulk(c, 2, func() {
		go func() { // Kill waits for the requests, this one included
			c.Node(1).Kill()
			close(killed)
		}()
	})
	_, err := run(t.Context(), c, write(t, "rows.csv", long()))
	require.NoError(t, err)
	<-killed
	requireOnce(t, c, rows)
}

func TestLostAnswersDoubleNoRow(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Path: "/rows/_bulk", Times: 2, Action: fakecluster.ResetAfterExecute})
	c.Inject(fakecluster.Fault{Path: "/rows/_bulk", Times: 1, Action: fakecluster.CutBody(20)})
	shown, err := run(t.Context(), c, write(t, "rows.csv", long()))
	require.NoError(t, err)
	requireOnce(t, c, rows)
	assert.Contains(t, shown, "there already")
}

func TestBusyServersAreAskedAgain(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	some := `{"errors":true,"items":[{"create":{"status":201}},{"create":{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"full"}}},{"create":{"status":201}}]}`
	c.Inject(fakecluster.Fault{Path: "/rows/_bulk", Times: 1, Action: fakecluster.Status(200, some, nil)})
	shown, err := run(t.Context(), c, write(t, "rows.csv", numbered(3)))
	require.NoError(t, err)
	assert.Contains(t, shown, "3 loaded")
	assert.Equal(t, []string{`{"n":1,"text":"row 1"}`}, sources(c), "the item that was refused alone is sent again")
}

func TestInterruptedLoadGoesOnWhereItWas(t *testing.T) {
	for _, name := range []string{"rows.csv", "rows.csv.gz"} {
		t.Run(name, func(t *testing.T) {
			leaktest.Check(t)
			c := fakecluster.Run(t, fakecluster.Nodes(1))
			file := write(t, name, long())
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			onBulk(c, 4, interrupt)
			shown, err := run(ctx, c, file)
			require.ErrorIs(t, err, context.Canceled)
			assert.Contains(t, shown, "the same command goes on after them")
			require.FileExists(t, file+".rows.journal")

			c.ResetRequests()
			shown, err = run(t.Context(), c, file)
			require.NoError(t, err)
			requireOnce(t, c, rows)
			assert.Contains(t, shown, "going on after row ")
			assert.Less(t, len(c.Requests().Path("/rows/_bulk")), 5, "what was settled is not sent again")
			assert.NoFileExists(t, file+".rows.journal")
		})
	}
}

func TestInterruptedNDJSONGoesOnWhereItWas(t *testing.T) {
	for _, name := range []string{"rows.ndjson", "rows.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			leaktest.Check(t)
			c := fakecluster.Run(t, fakecluster.Nodes(1))
			var b strings.Builder
			for i := range rows {
				fmt.Fprintf(&b, "{\"n\": %d, \"text\": %q}\r\n\n", i, strings.Repeat("long ", 1600))
			}
			file := write(t, name, b.String())
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			onBulk(c, 4, interrupt)
			_, err := run(ctx, c, file)
			require.ErrorIs(t, err, context.Canceled)
			shown, err := run(t.Context(), c, file)
			require.NoError(t, err)
			assert.Contains(t, shown, "going on after row ")
			requireOnce(t, c, rows)
		})
	}
}

func TestLoadStartsAnewWhenTheTableIsAnotherOne(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	file := write(t, "rows.csv", long())
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	onBulk(c, 4, interrupt)
	_, err := run(ctx, c, file)
	require.ErrorIs(t, err, context.Canceled)

	other := fakecluster.Run(t, fakecluster.Nodes(1))
	_, err = run(t.Context(), other, file)
	require.NoError(t, err)
	requireOnce(t, other, rows)
}

func TestInterruptedLoadDoesNotGoOnInAChangedFile(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	file := write(t, "rows.csv", long())
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	onBulk(c, 2, interrupt)
	_, err := run(ctx, c, file)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, os.WriteFile(file, []byte(numbered(5)), 0o600))
	_, err = run(t.Context(), c, file)
	assert.ErrorIs(t, err, load.ErrFileChanged)
}

func TestSecondLoadWritesNothingTwiceAndNewContentIsNew(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	file := write(t, "rows.csv", numbered(10))
	for range 2 {
		_, err := run(t.Context(), c, file)
		require.NoError(t, err)
		requireOnce(t, c, 10)
	}
	require.NoError(t, os.WriteFile(file, []byte("n,text\n0,others\n1,row 1\n"), 0o600))
	shown, err := run(t.Context(), c, file)
	require.NoError(t, err)
	assert.Contains(t, shown, "2 loaded", "a new file of the old name has other rows")
}

func TestSameRowsOfTwoFilesAreDifferentRows(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	_, err := run(t.Context(), c, write(t, "a.csv", numbered(2)), write(t, "b.csv", numbered(2)))
	require.NoError(t, err)
	assert.Len(t, c.Docs("rows"), 4)
}

func TestRejectedRowsAreKeptWithTheirReason(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	file := write(t, "rows.ndjson", strings.Repeat("{\"n\":1}\n", 1100)+"{\"n\":\n[1]\n{\"n\":\"x\"}\n{\"n\":2}")
	shown, err := run(t.Context(), c, file)
	var rejected *load.RejectedError
	require.ErrorAs(t, err, &rejected)
	assert.Equal(t, int64(3), rejected.Rows)
	assert.Contains(t, shown, "1,104 rows: 1,101 loaded, 3 rejected")
	kept, err := os.ReadFile(file + ".rows.rejected.ndjson")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(kept)), "\n")
	require.Len(t, lines, 3)
	assert.JSONEq(t, `{"row":1101,"error":"load: the line is not a JSON object","line":"{\"n\":"}`, lines[0])
	assert.Contains(t, lines[1], `"row":1102`)
	assert.Contains(t, lines[2], `"document":{"n":"x"}`)
	assert.Contains(t, lines[2], "parsing_exception")
}

func TestRowsOfTheWrongLengthAreRejectedAndTheNextOnesAreNot(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	file := write(t, "rows.csv", "a,b\n1\n2,3\nx\"y,4\n5,6\n")
	_, err := run(t.Context(), c, file)
	var rejected *load.RejectedError
	require.ErrorAs(t, err, &rejected)
	assert.ElementsMatch(t, []string{`{"a":2,"b":3}`, `{"a":5,"b":6}`}, sources(c))
	kept, err := os.ReadFile(rejected.Files[0])
	require.NoError(t, err)
	assert.Contains(t, string(kept), `{"row":1,"error":"wrong number of fields","fields":["1"]}`)
	assert.Contains(t, string(kept), `{"row":3,"error":"bare \" in non-quoted-field"`)
}

func TestRefusedRequestEndsTheLoad(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	c.Inject(fakecluster.Fault{Path: "/rows/_bulk", Action: fakecluster.Status(403, `{"error":{"type":"security_exception","reason":"no"},"status":403}`, nil)})
	_, err := run(t.Context(), c, write(t, "rows.csv", long()))
	assert.ErrorContains(t, err, "status 403: security_exception: no")
}

func TestQuoteThatIsNeverClosedIsAnErrorAndNoMemory(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	text := "n,text\n1,\"" + strings.Repeat(strings.Repeat("x", 1<<20)+"\n", 65)
	_, err := run(t.Context(), c, write(t, "rows.csv", text))
	assert.ErrorIs(t, err, load.ErrRowTooLong)
}

func TestTableThatIsThereKeepsItsTypes(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t)
	req, err := http.NewRequest(http.MethodPut, c.URLs()[0]+"/rows", strings.NewReader(`{"mappings":{"properties":{"n":{"type":"keyword"}}}}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	shown, err := run(t.Context(), c, write(t, "rows.csv", "n\n1\n"))
	require.NoError(t, err)
	assert.Contains(t, shown, "is there already")
	assert.Equal(t, []string{`{"n":"1"}`}, sources(c))
}
