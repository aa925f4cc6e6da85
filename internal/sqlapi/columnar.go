package sqlapi

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// turn decodes an answer with one array a column.
func (p *page) turn(values jsontext.Value) error {
	var lists [][]jsontext.Value
	if err := json.Unmarshal(values, &lists, decodeOptions...); err != nil {
		return p.broken("has values of an unexpected form", err)
	}
	if len(lists) != len(p.columns) {
		return p.broken(fmt.Sprintf("has values of %d columns for %d", len(lists), len(p.columns)), nil)
	}
	for _, list := range lists {
		if len(list) != len(lists[0]) {
			return p.broken("has columns of different lengths", nil)
		}
	}
	p.turnRows(lists)
	return nil
}

// turnRows takes the cells row by row; what is wrong with one is told after the rows before it.
func (p *page) turnRows(lists [][]jsontext.Value) {
	for len(lists) > 0 && p.rows < int64(len(lists[0])) && p.fault == nil {
		whole := len(p.cells)
		for i, list := range lists {
			if p.fault = p.cell(i, list[p.rows]); p.fault != nil {
				p.cells = p.cells[:whole]
				return
			}
		}
		p.rows++
	}
}
