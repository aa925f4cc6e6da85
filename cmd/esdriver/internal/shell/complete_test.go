package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

func TestCompletionKnowsTablesColumnsWordsAndCommands(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	require.NoError(t, c.Put("books", "1", map[string]any{"title": "x", "bought": 1}))
	require.NoError(t, c.Put(".hidden", "1", map[string]any{"bogus": 1}))
	l, err := link.Open(c.DSN(), nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, l.Close()) }()
	v := &vocabulary{link: l}
	for line, want := range map[string][]string{
		`\ti`:              {`\timing`},
		`\d b`:             {"books"},
		"sel":              {"SELECT"},
		"SELECT ti":        {"title", "title.keyword"},
		"SELECT id,BO":     {"bought", "books"},
		"select * from b":  {"books"},
		"SELECT * FROM .h": nil,
		"zzz":              nil,
	} {
		head, found, tail := v.complete(line+" rest", len(line))
		assert.Equal(t, want, found, line)
		assert.Equal(t, " rest", tail)
		assert.Less(t, len(head), len(line))
	}
}

func TestCompletionWithoutAClusterIsSilent(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	l, err := link.Open(c.DSN(), nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, l.Close()) }()
	c.Node(0).Kill()
	v := &vocabulary{link: l}
	_, found, _ := v.complete("sel", 3)
	assert.Equal(t, []string{"SELECT"}, found)
}

func TestTablesThatAStatementMadeAreCompleted(t *testing.T) {
	leaktest.Check(t)
	c := fakecluster.Run(t, fakecluster.Nodes(1))
	l, err := link.Open(c.DSN(), nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, l.Close()) }()
	v := &vocabulary{link: l}
	_, found, _ := v.complete("FROM n", 6)
	assert.Empty(t, found)
	require.NoError(t, c.Put("new", "1", map[string]any{"a": 1}))
	v.forget()
	_, found, _ = v.complete("FROM n", 6)
	assert.Equal(t, []string{"new"}, found)
}
