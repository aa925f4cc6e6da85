package demo

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
)

// elementsCSV has the chemical elements. What is not known from a measurement is empty. The weight is IUPAC's abridged
// standard atomic weight of 2021, and for elements that have none the mass number of the isotope that lives longest;
// phase is at 25 °C; density is in g/cm³, of gases at 0 °C; melting and boiling are in kelvin at one atmosphere
// (carbon and arsenic, which do not melt, have the temperature of their sublimation as boiling); discovered is a year
// and empty for what was known in antiquity. Lanthanum to ytterbium and actinium to nobelium are in no group.
//
//go:embed elements.csv
var elementsCSV []byte

// element is a document: the fields by name, without those that are not known.
type element map[string]any

// fieldTypes are the index's fields.
var fieldTypes = map[string]string{
	"number": "integer", "symbol": "keyword", "name": "keyword", "group": "integer", "period": "integer",
	"block": "keyword", "category": "keyword", "weight": "double", "phase": "keyword", "density": "double",
	"melting": "double", "boiling": "double", "discovered": "integer",
}

// readElements reads the table.
func readElements() ([]element, error) {
	records, err := csv.NewReader(bytes.NewReader(elementsCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("demo: elements.csv: %w", err)
	}
	elements := make([]element, 0, len(records)-1)
	for _, record := range records[1:] {
		e, err := newElement(records[0], record)
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	return elements, nil
}

func newElement(names, values []string) (element, error) {
	e := element{}
	for i, text := range values {
		if text == "" {
			continue
		}
		v, err := valueOf(fieldTypes[names[i]], text)
		if err != nil {
			return nil, fmt.Errorf("demo: elements.csv: %s of %s: %w", names[i], values[1], err)
		}
		e[names[i]] = v
	}
	return e, nil
}

func valueOf(fieldType, text string) (any, error) {
	switch fieldType {
	case "integer":
		return strconv.Atoi(text)
	case "double":
		return strconv.ParseFloat(text, 64)
	case "keyword":
		return text, nil
	}
	return nil, fmt.Errorf("no type for %q", text)
}
