package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/leaktest"
)

func TestEveryCommandHasHelpWithAnExampleThatFitsAScreen(t *testing.T) {
	for _, name := range []string{"demo", "sql", "load", "dump", "nodes", "top", "doctor", "fake"} {
		status, out, problems := command(t, name, "--help")
		assert.Equal(t, statusOK, status, name)
		assert.Empty(t, problems, name)
		assert.Contains(t, out, "Examples:\n  esdriver "+name, name)
		assert.Contains(t, out, "exit status", name)
		for line := range strings.Lines(out) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, "%s: %q", name, line)
		}
	}
}

func TestCommandsThatTakeADSNExplainAWrongOneAndShowNoSecret(t *testing.T) {
	const dsn = "http://joe:hush@h1?time_out=1s"
	file := filepath.Join(t.TempDir(), "rows.csv")
	require.NoError(t, os.WriteFile(file, []byte("n\n1\n"), 0o600))
	for _, args := range [][]string{
		{"sql", dsn}, {"load", dsn, file}, {"dump", dsn, "rows"}, {"nodes", dsn}, {"top", dsn}, {"doctor", dsn},
	} {
		status, out, problems := command(t, args...)
		assert.Equal(t, statusFailed, status, args[0])
		assert.Contains(t, problems, "did you mean timeout?", args[0])
		assert.NotContains(t, out+problems, "hush", args[0])
	}
}

func TestRowsThatAreLoadedCanBeQueriedAndDumped(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	file := filepath.Join(t.TempDir(), "Rows.csv")
	require.NoError(t, os.WriteFile(file, []byte("n,name\n1,a\n2,b\n3\n"), 0o600))
	status, out, problems := command(t, "load", c.DSN(), file)
	assert.Equal(t, statusFailed, status, "one row is too short")
	assert.Contains(t, out, "3 rows: 2 loaded, 1 rejected")
	assert.Contains(t, problems, "esdriver: load: 1 row was rejected; see "+file+".rows.rejected.ndjson")

	status, out, problems = command(t, "sql", "--format", "csv", "-c", "SELECT name, n FROM rows ORDER BY n DESC", c.DSN())
	assert.Equal(t, statusOK, status, problems)
	assert.Equal(t, "name,n\nb,2\na,1\n", out)

	status, out, problems = command(t, "dump", c.DSN(), "rows")
	assert.Equal(t, statusOK, status)
	assert.Equal(t, "2 rows\n", problems)
	assert.Len(t, strings.Split(strings.TrimSpace(out), "\n"), 2)
}

func TestShellReadsThePipeAndTakesTheDSNFromTheEnvironment(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	t.Setenv(dsnVariable, c.DSN())
	var out, problems bytes.Buffer
	status := run(t.Context(), []string{"sql", "--format", "json"}, strings.NewReader("SELECT 1 AS one;"), &out, &problems)
	assert.Equal(t, statusOK, status, problems.String())
	assert.Equal(t, "[\n{\"one\":1}\n]\n", out.String())

	status = run(t.Context(), []string{"sql"}, strings.NewReader("SELECT 1;\nSELEC"), &out, &problems)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, problems.String(), "esdriver: stdin:2: ")
}

func TestClusterIsLookedAtWithStatusZeroWhenItIsWell(t *testing.T) {
	leaktest.Check(t)
	c := userCluster(t)
	for _, args := range [][]string{{"nodes", c.DSN()}, {"top", "--count", "1", c.DSN()}, {"doctor", c.DSN()}} {
		status, out, problems := command(t, args...)
		assert.Equal(t, statusOK, status, "%s: %s%s", args[0], out, problems)
		assert.Contains(t, out, "node-0", args[0])
	}
	c.Node(0).Kill()
	status, _, problems := command(t, "doctor", c.DSN())
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, problems, "one thing is wrong")
}
