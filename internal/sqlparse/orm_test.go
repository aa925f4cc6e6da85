package sqlparse_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

var update = flag.Bool("update", false, "write the golden files anew")

// ormStatements is where the captured statements of ORMs are, beside the repository.
const ormStatements = "../../../shared/orm-statements/orm-statements.txt"

const ormGolden = "testdata/orm.jsonl"

// ormCase is what becomes of one captured statement.
type ormCase struct {
	SQL           string `json:"sql"`
	Kind          string `json:"kind"`
	Inputs        int    `json:"inputs"`
	Plain         bool   `json:"plain,omitempty"`
	Table         string `json:"table,omitempty"`
	Elasticsearch string `json:"elasticsearch,omitempty"`
	Params        int    `json:"params,omitempty"`
	Drop          int64  `json:"drop,omitempty"`
	OpenSearch    string `json:"opensearch,omitempty"`
	Error         string `json:"error,omitempty"`
}

func TestEveryORMStatementHasAStatedOutcome(t *testing.T) {
	golden := readORMGolden(t)
	for _, want := range golden {
		assert.Equal(t, want, outcome(t, want.SQL), want.SQL)
	}
}

func TestGoldenHoldsEveryCapturedORMStatement(t *testing.T) {
	f, err := os.Open(ormStatements)
	if err != nil {
		t.Skip("the captured ORM statements are not beside the repository")
	}
	defer f.Close()
	known := map[string]bool{}
	if !*update {
		for _, c := range readORMGolden(t) {
			known[c.SQL] = true
		}
	}
	var out strings.Builder
	for in := bufio.NewScanner(f); in.Scan(); {
		if *update {
			line, err := json.Marshal(outcome(t, in.Text()))
			require.NoError(t, err)
			out.Write(append(line, '\n'))
			continue
		}
		assert.True(t, known[in.Text()], in.Text())
	}
	if *update {
		require.NoError(t, os.WriteFile(ormGolden, []byte(out.String()), 0o644))
	}
}

func readORMGolden(t *testing.T) []ormCase {
	t.Helper()
	f, err := os.Open(ormGolden)
	require.NoError(t, err)
	defer f.Close()
	var cases []ormCase
	for in := bufio.NewScanner(f); in.Scan(); {
		var c ormCase
		require.NoError(t, json.Unmarshal(in.Bytes(), &c))
		cases = append(cases, c)
	}
	return cases
}

// outcome parses the statement for both flavours and writes it with the arguments 1, 2, …
func outcome(t *testing.T, text string) ormCase {
	t.Helper()
	c := ormCase{SQL: text}
	es, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
	os, osErr := sqlparse.Parse(sqlparse.OpenSearch, text)
	if err != nil {
		c.Error = err.Error()
		require.Error(t, osErr)
		return c
	}
	require.NoError(t, osErr)
	c.Kind, c.Inputs, c.Plain, c.Table = es.Kind().String(), es.NumInput(), es.Plain(), es.Table()
	if es.Kind().Reads() {
		args := numbered(es.NumInput())
		q, err := es.Elastic(args, sqlparse.ElasticOptions{})
		require.NoError(t, err)
		c.Elasticsearch, c.Params, c.Drop = q.Text, len(q.Params), q.Offset
	}
	if os.Kind().Reads() {
		q, err := os.OpenSearch(numbered(os.NumInput()), sqlparse.OpenSearchOptions{Version: sqlparse.Version{Major: 2, Minor: 19}})
		require.NoError(t, err)
		c.OpenSearch = q.Text
	}
	return c
}

// numbered returns n arguments 1 to n.
func numbered(n int) []sqlparse.Arg {
	args := make([]sqlparse.Arg, max(n, 0))
	for i := range args {
		args[i] = sqlparse.Arg{Ordinal: i + 1, Value: int64(i + 1)}
	}
	return args
}
