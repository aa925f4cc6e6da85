package table_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/table"
)

func red(text string) string { return "\x1b[31m" + text + "\x1b[0m" }

func TestNumbersStandToTheRightAndTextsToTheLeft(t *testing.T) {
	tab := table.Table{Columns: []string{"symbol", "number", "weight"}}
	tab.Add("H", int64(1), 1.008)
	tab.Add("Og", int64(118), nil)
	assert.Equal(t, []string{
		"symbol  number  weight",
		"------  ------  ------",
		"H            1   1.008",
		"Og         118       -",
	}, tab.Lines())
}

func TestColourTakesNoRoom(t *testing.T) {
	tab := table.Table{Columns: []string{"state", "n"}}
	tab.Add(table.Cell{Text: "dead", Paint: red}, 1)
	tab.Add("unverified", 22)
	lines := tab.Lines()
	assert.Equal(t, red("dead")+"         1", lines[2])
	assert.Equal(t, "unverified  22", lines[3])
}

func TestColumnOfMixedValuesStandsToTheLeft(t *testing.T) {
	tab := table.Table{Columns: []string{"v"}}
	tab.Add(1)
	tab.Add("text")
	assert.Equal(t, "1", tab.Lines()[2])
}

func TestWidthIsCountedInCharacters(t *testing.T) {
	tab := table.Table{Columns: []string{"name", "n"}}
	tab.Add("Zürich", 1)
	tab.Add("Bern12", 2)
	lines := tab.Lines()
	assert.Equal(t, strings.Count(lines[2], " "), strings.Count(lines[3], " "))
}

func TestNoLineEndsWithASpace(t *testing.T) {
	tab := table.Table{Columns: []string{"a", "b"}}
	tab.Add("x", "y")
	tab.Add("x", "longer")
	for _, line := range tab.Lines() {
		assert.Equal(t, strings.TrimRight(line, " "), line)
	}
}

func TestSmallNumbersKeepTheirDigits(t *testing.T) {
	tab := table.Table{Columns: []string{"density"}}
	tab.Add(0.00008988)
	assert.Equal(t, "8.988e-05", tab.Lines()[2])
}
