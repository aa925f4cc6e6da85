package shell_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/shell"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// library is a cluster with a few books.
func library(t *testing.T, opts ...fakecluster.Option) *fakecluster.Cluster {
	t.Helper()
	leaktest.Check(t)
	c := fakecluster.Run(t, append(opts, fakecluster.Nodes(1), fakecluster.SQL(sqlite.New()))...)
	for id, title := range map[string]string{"1": "Dune", "2": "Emma", "3": "Ubik"} {
		require.NoError(t, c.Put("books", id, map[string]any{"id": int(id[0] - '0'), "title": title, "author": map[string]any{"name": "A"}}))
	}
	return c
}

// run runs a shell and returns what it has written.
func run(t *testing.T, c *fakecluster.Cluster, change func(*shell.Config)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	config := shell.Config{DSN: c.DSN(), Format: "table", In: strings.NewReader(""), Out: &out, Problems: io.Discard}
	change(&config)
	err := shell.Run(t.Context(), config)
	return out.String(), err
}

func typed(text string) func(*shell.Config) {
	return func(c *shell.Config) { c.In = strings.NewReader(text) }
}

const firstTwo = "id  author.name\n--  -----------\n 1  A\n 2  A\n(2 rows)\n"

func TestStatementsComeFromPipesFilesAndTheCommandLine(t *testing.T) {
	const text = "SELECT id, author.name FROM books\nWHERE id < 3 ORDER BY id"
	file := filepath.Join(t.TempDir(), "s.sql")
	require.NoError(t, os.WriteFile(file, []byte(text+";\n"), 0o600))
	c := library(t)
	for name, change := range map[string]func(*shell.Config){
		"pipe":     typed(text),
		"file":     func(c *shell.Config) { c.Script = file },
		"dash":     func(c *shell.Config) { c.Script, c.In = "-", strings.NewReader(text) },
		"commands": func(c *shell.Config) { c.Commands = []string{text} },
	} {
		out, err := run(t, c, change)
		require.NoError(t, err, name)
		assert.Equal(t, firstTwo, out, name)
	}
}

func TestRowsComeInEveryFormat(t *testing.T) {
	c := library(t)
	for format, want := range map[string]string{
		"csv": "id,t\n1,Dune\n", "json": "[\n{\"id\":1,\"t\":\"Dune\"}\n]\n", "markdown": "| id | t |\n|---|---|\n| 1 | Dune |\n",
		"vertical": "-- row 1\nid  1\nt   Dune\n(1 row)\n",
	} {
		out, err := run(t, c, func(c *shell.Config) {
			c.Format, c.Commands = format, []string{"SELECT id, title AS t FROM books WHERE id = 1"}
		})
		require.NoError(t, err, format)
		assert.Equal(t, want, out, format)
	}
}

func TestCommandsOfTheShell(t *testing.T) {
	c := library(t)
	for text, want := range map[string]string{
		`\d`:       "table  columns\n-----  -------\nbooks        5\n",
		`\d books`: "author.name.keyword  keyword",
		`\x` + "\nSELECT id FROM books WHERE id=1":          "-- row 1\nid  1\n",
		`\format csv` + "\nSELECT id FROM books WHERE id=1": "id\n1\n",
		`\timing` + "\nSELECT id FROM books WHERE id=1":     "(1 row, ",
		`\?`:                                  `\explain STATEMENT`,
		`\q` + "\nnonsense;":                  "",
		`SELECT id FROM books WHERE id=1; \q`: "(1 row)",
	} {
		out, err := run(t, c, typed(text))
		require.NoError(t, err, text)
		assert.Contains(t, out, want, text)
	}
}

func TestWrongCommandsOfTheShellAreErrorsWithTheirPlace(t *testing.T) {
	c := library(t)
	for text, want := range map[string]string{
		"\n\\nonsense":              "stdin:2: \\nonsense: unknown command",
		`\x on`:                     "takes no argument",
		`\format xml`:               "unknown format",
		`\d nothing`:                "index_not_found_exception",
		`\explain DROP TABLE books`: "DROP TABLE is not",
	} {
		_, err := run(t, c, typed(text))
		assert.ErrorContains(t, err, want, text)
	}
	assert.Len(t, c.Docs("books"), 3)
}

func TestExplainTellsRouteAndTheServersPlan(t *testing.T) {
	for product, path := range map[fakecluster.Flavor]string{
		fakecluster.Elasticsearch: "/_sql/translate", fakecluster.OpenSearch: "/_plugins/_sql/_explain",
	} {
		t.Run(string(product), func(t *testing.T) {
			c := library(t, fakecluster.Product(product))
			c.Inject(fakecluster.Fault{Path: path, Action: fakecluster.Status(200, `{"size":1000}`, nil)})
			out, err := run(t, c, typed(`\explain SELECT id FROM books;`))
			require.NoError(t, err)
			assert.Contains(t, out, "travels in class reg")
			assert.Contains(t, out, "{\n  \"size\": 1000\n}")
			require.Len(t, c.Requests().Path(path), 1)
			assert.Contains(t, string(c.Requests().Path(path)[0].Body), `{"query":"SELECT id FROM books"}`)
		})
	}
}

func TestWritesAreCarriedOut(t *testing.T) {
	c := library(t)
	out, err := run(t, c, typed("INSERT INTO books (id, title) VALUES (4, 'Solaris');\nSELECT title FROM books WHERE id = 4"))
	require.NoError(t, err)
	assert.Contains(t, out, "1 row changed\n")
	assert.Contains(t, out, "Solaris\n(1 row)")
}

func TestWritesSayNothingWhereProgramsRead(t *testing.T) {
	c := library(t)
	out, err := run(t, c, func(c *shell.Config) {
		c.Format, c.Commands = "csv", []string{"INSERT INTO books (id, title) VALUES (4, 'Solaris')"}
	})
	require.NoError(t, err)
	assert.Empty(t, out)
}

func TestFirstErrorEndsAScriptAndTellsItsPlace(t *testing.T) {
	c := library(t)
	file := filepath.Join(t.TempDir(), "s.sql")
	require.NoError(t, os.WriteFile(file, []byte("SELECT id FROM books WHERE id=1;\n\n  INSERT INTO\n books VALUES (;\nSELECT 2"), 0o600))
	out, err := run(t, c, func(c *shell.Config) { c.Script = file })
	var at *shell.PlaceError
	require.ErrorAs(t, err, &at)
	assert.Equal(t, 4, at.Line)
	assert.Positive(t, at.Column)
	assert.ErrorIs(t, err, esdriver.ErrSyntax)
	assert.ErrorContains(t, err, "s.sql:4:")
	assert.Equal(t, 1, strings.Count(out, "(1 row)"), "what is before it was run, and nothing behind it")
}

func TestErrorOfTheServerKeepsItsWordsAndTellsTheStatement(t *testing.T) {
	c := library(t)
	_, err := run(t, c, typed("SELECT id FROM books WHERE id=1;\nSELECT nothing FROM books"))
	require.ErrorIs(t, err, esdriver.ErrNoColumn)
	assert.ErrorContains(t, err, "stdin:2: ")
	assert.ErrorContains(t, err, "nothing")
}

func TestStringsEndByTheProductsRule(t *testing.T) {
	c := library(t, fakecluster.Product(fakecluster.OpenSearch))
	out, err := run(t, c, typed(`SELECT title FROM books WHERE title = 'a\';b' OR id = 1; SELECT id FROM books WHERE id = 2;`))
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(out, "(1 row)"), out)
}

func TestClusterThatIsNotThereIsAnErrorWithoutSecrets(t *testing.T) {
	leaktest.Check(t)
	err := shell.Run(t.Context(), shell.Config{
		DSN: "http://joe:hush@127.0.0.1:1?sampler.timeout=200ms", Format: "table", In: strings.NewReader("SELECT 1"), Out: io.Discard,
	})
	require.ErrorIs(t, err, esdriver.ErrNoNode)
	assert.NotContains(t, err.Error(), "hush")
}

func TestInterruptEndsAScript(t *testing.T) {
	c := library(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	c.Inject(fakecluster.Fault{Path: "/_sql", Action: fakecluster.Hang, Match: func(*http.Request) bool {
		interrupt()
		return true
	}})
	err := shell.Run(ctx, shell.Config{DSN: c.DSN(), Format: "table", Commands: []string{"SELECT id FROM books"}, Out: io.Discard})
	assert.ErrorIs(t, err, context.Canceled)
}
