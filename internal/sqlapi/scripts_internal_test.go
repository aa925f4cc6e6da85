package sqlapi

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// setters writes random SETs; arguments go to args.
type setters struct {
	r    *rand.Rand
	args []sqlparse.Arg
}

func (p *setters) param(v any) string {
	name := "a" + strconv.Itoa(len(p.args))
	p.args = append(p.args, sqlparse.Arg{Name: name, Value: v})
	return ":" + name
}

// used are the arguments that the text has.
func (p *setters) used(text string) []sqlparse.Arg {
	var list []sqlparse.Arg
	for _, a := range p.args {
		if regexp.MustCompile(":" + a.Name + `\b`).MatchString(text) {
			list = append(list, a)
		}
	}
	return list
}

// number is an expression of numbers; whole ones divide by nothing that is zero in a sample.
func (p *setters) number(depth int, columns ...string) string {
	if depth == 0 || p.r.IntN(4) == 0 {
		if p.r.IntN(2) == 0 {
			return p.param(pick(p.r, []any{int64(2), int64(-3), int64(1), nil, 0.5}))
		}
		return pick(p.r, columns)
	}
	x, y := p.number(depth-1, columns...), p.number(depth-1, columns...)
	switch p.r.IntN(8) {
	case 0:
		return "COALESCE(" + x + ", " + y + ")"
	case 1:
		return "NULLIF(" + x + ", " + y + ")"
	case 2:
		return "ABS(" + x + ")"
	case 3:
		return "-(" + x + ")"
	case 4:
		return "(" + x + pick(p.r, []string{" / ", " % "}) + p.param(pick(p.r, []any{int64(2), int64(3), -0.5})) + ")"
	}
	return "(" + x + pick(p.r, []string{" + ", " - ", " * "}) + y + ")"
}

func (p *setters) text(depth int) string {
	if depth == 0 || p.r.IntN(4) == 0 {
		return pick(p.r, []string{"k", "x", "o.k", p.param(pick(p.r, []any{"", "Z", "ä'\\\"\n", nil}))})
	}
	x, y := p.text(depth-1), p.text(depth-1)
	switch p.r.IntN(5) {
	case 0:
		return "(" + x + " || " + y + ")"
	case 1:
		return "CONCAT(" + x + ", i, " + y + ")"
	case 2:
		return "COALESCE(" + x + ", " + y + ")"
	case 3:
		return "NULLIF(" + x + ", " + y + ")"
	}
	return pick(p.r, []string{"UPPER(", "LOWER("}) + x + ")"
}

func (p *setters) set() string {
	all := []string{
		"n = o.n + " + p.number(3, "i", "o.n"), "d = " + p.number(3, "i", "d", "f"), "o.n = i * " + p.number(2, "i", "d"), "i = i + 1",
		"k = " + p.text(3), "o.k = " + p.text(2), "x = " + p.text(2), "b = " + p.param(pick(p.r, []any{true, false, nil})),
		"t = " + pick(p.r, []string{"t", "CURRENT_TIMESTAMP", "COALESCE(t, " + p.param("2026-05-05 01:02:03") + ")"}),
		"u = COALESCE(u, TIMESTAMP '2026-05-05 01:02:03')", "f = f * 2", "a = " + p.param("::2"),
	}
	p.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return strings.Join(all, ", ")
}

// TestScriptComputesWhatTheEvaluationDoes runs random SETs both ways: by script on the cluster, and over the documents.
func TestScriptComputesWhatTheEvaluationDoes(t *testing.T) {
	leaktest.Check(t)
	c := onFake(t, Elasticsearch)
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 20 {
		require.NoError(t, c.put(t.Context(), "/p", jsonText(predicateMapping)))
		docs := loadDocuments(t, c, r, 8)
		p := &setters{r: r}
		text := "UPDATE p SET " + p.set()
		s := scopeOf(t, c, text, p.used(text))
		set := s.statement.Tree().(*sqlparse.UpdateStatement).Set
		script, err := s.script(set)
		require.NoError(t, err, text)
		for i, doc := range docs {
			assertScript(t, c, s, set, script, strconv.Itoa(i), doc, text)
		}
		require.NoError(t, c.acknowledged(t.Context(), request{method: "DELETE", path: "/p"}), "round %d", round)
		c.tables.forget("p")
	}
}

func scopeOf(t testing.TB, c *Client, text string, args []sqlparse.Arg) *scope {
	t.Helper()
	stmt, err := sqlparse.Parse(sqlparse.Elasticsearch, text)
	require.NoError(t, err, text)
	table, err := c.table(t.Context(), "p")
	require.NoError(t, err)
	s, err := newScope(stmt, table, "", args)
	require.NoError(t, err)
	return s
}

// assertScript runs a script on one document and compares. Where the evaluation fails the script must, too, and leave
// the document as it is.
func assertScript(t *testing.T, c *Client, s *scope, set []sqlparse.Assignment, script *script, id string, doc map[string]any, text string) {
	t.Helper()
	want, evalErr := evaluated(s, set, doc)
	body, err := json.Marshal(map[string]any{"query": query{"term": query{"_id": id}}, "script": script})
	require.NoError(t, err)
	var answer byQueryAnswer
	err = c.call(t.Context(), request{method: "POST", path: "/p/_update_by_query", query: "refresh=true", body: body}, &answer)
	if evalErr != nil {
		assert.Error(t, err, "%s\n%v: %v\n%s", text, s.args, evalErr, script.Source)
		return
	}
	require.NoError(t, err, "%s\n%v\n%v\n%s", text, s.args, doc, script.Source)
	require.EqualValues(t, 1, answer.Updated)
	var got struct {
		Source map[string]any `json:"_source"`
	}
	require.NoError(t, c.call(t.Context(), request{method: "GET", path: "/p/_doc/" + id}, &got))
	asJSON, err := json.Marshal(want)
	require.NoError(t, err)
	var decoded map[string]any
	require.NoError(t, json.Unmarshal(asJSON, &decoded))
	require.Equal(t, decoded, got.Source, "%s\n%v\n%v\n%s", text, s.args, doc, script.Source)
}

// evaluated is the document after the assignments.
func evaluated(s *scope, set []sqlparse.Assignment, doc map[string]any) (map[string]any, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	after, err := decodeDocument(text)
	if err != nil {
		return nil, err
	}
	for _, a := range set {
		f, v, err := s.assigned(a, doc)
		if err != nil {
			return nil, err
		}
		setAt(after, f.name, v)
	}
	return after, nil
}

func TestScriptDependsOnTheStatementAndNotOnItsArguments(t *testing.T) {
	leaktest.Check(t)
	c := onFake(t, OpenSearch, fakecluster.Product(fakecluster.OpenSearch))
	require.NoError(t, c.put(t.Context(), "/p", jsonText(predicateMapping)))
	const text = `UPDATE p SET n = n + ?, k = ?, d = COALESCE(d, ?) * 2, x = k || ?`
	var sources []string
	for i := range 3 {
		s := scopeOf(t, c, text, []sqlparse.Arg{{Value: int64(i)}, {Value: fmt.Sprint("'; ctx.op = 'delete'; '", i)}, {Value: float64(i) + 0.5}, {Value: "x"}})
		made, err := s.script(s.statement.Tree().(*sqlparse.UpdateStatement).Set)
		require.NoError(t, err)
		sources = append(sources, made.Source)
		assert.NotContains(t, made.Source, "delete")
	}
	assert.Equal(t, sources[0], sources[1])
	assert.Equal(t, sources[0], sources[2])
}

func TestSetThatNoScriptCanDoIsRefusedWithItsPlace(t *testing.T) {
	leaktest.Check(t)
	c := onFake(t, Elasticsearch)
	require.NoError(t, c.put(t.Context(), "/p", jsonText(predicateMapping)))
	for text, want := range map[string]string{
		"UPDATE p SET n = k":               "line 1, column 18: a value of another type for column n of type long",
		"UPDATE p SET n = 'x'":             "a value of Go type string is no long (line 1, column 18)",
		"UPDATE p SET n = 1.5":             "the column holds integers, and the number has a fraction (line 1, column 18)",
		"UPDATE p SET i = 3000000000":      "the number is out of the range of type integer (line 1, column 18)",
		"UPDATE p SET k = k + 1":           "line 1, column 18: + on what is no number",
		"UPDATE p SET k = SUBSTRING(k, 1)": "line 1, column 18: the function SUBSTRING",
		"UPDATE p SET nope = 1":            "column nope of table p: there is no such column (line 1, column 14)",
		"UPDATE p SET n = nope + 1":        "column nope of table p: there is no such column (line 1, column 18)",
		"UPDATE p SET s.k = 'x'":           "line 1, column 14: a change inside of nested objects",
		"UPDATE p SET _id = 'x'":           "line 1, column 14: a change of _id",
		"UPDATE p SET n = 1, n = 2":        "column n of table p: it is given two values (line 1, column 21)",
		"UPDATE p SET n = 1/0":             "line 1, column 18: a division by zero",
		"UPDATE p SET t = t + 1":           "line 1, column 18: + on what is no number",
		"UPDATE p SET b = NOT b":           "line 1, column 18: SET with a predicate inside of another",
	} {
		s := scopeOf(t, c, text, nil)
		_, err := s.script(s.statement.Tree().(*sqlparse.UpdateStatement).Set)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}
