package demo

import (
	"database/sql"
	"fmt"
	"strings"
)

const (
	groups  = 18
	periods = 7
	// fRows are the rows below the table, for periods 6 and 7; fColumn is the column where they begin, and
	// fFirst the first number in each.
	fRows   = 2
	fColumn = 3
)

var fFirst = map[int]int{6: 57, 7: 89}

// periodicTable is the elements in their places.
type periodicTable struct {
	cells [periods + fRows][groups]string
}

// put puts an element into its place: period and group, or for those in no group a row below the table.
func (p *periodicTable) put(number int, symbol string, period int, group sql.NullInt64) error {
	row, column := period-1, int(group.Int64)-1
	if !group.Valid {
		row, column = period-fFirstPeriod+periods, number-fFirst[period]+fColumn-1
	}
	if row < 0 || row >= len(p.cells) || column < 0 || column >= groups {
		return fmt.Errorf("demo: %s has no place in the table: period %d, group %v", symbol, period, group)
	}
	p.cells[row][column] = symbol
	return nil
}

const fFirstPeriod = 6 // the first period with elements in no group

// lines returns the table as lines.
func (p *periodicTable) lines() []string {
	var lines []string
	for row, cells := range p.cells {
		if row == periods {
			lines = append(lines, "")
		}
		var b strings.Builder
		for _, symbol := range cells {
			fmt.Fprintf(&b, "%-4s", symbol)
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}
