package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// errNoProperties is what is wrong with a file that holds no mapping.
var errNoProperties = errors.New(`load: the mapping has no "properties"`)

// plan returns the properties that a new table gets, and writes them out in a dry run.
func plan(c Config) (map[string]any, error) {
	properties, err := wanted(c)
	if err != nil || !c.DryRun {
		return properties, err
	}
	text, err := json.MarshalIndent(map[string]any{"properties": properties}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("load: mapping: %w", err)
	}
	_, err = fmt.Fprintf(c.Out, "%s\n", text)
	return properties, err
}

func wanted(c Config) (map[string]any, error) {
	if c.Mapping != "" {
		return readMapping(c.Mapping)
	}
	fields, err := sample(c.Files)
	if err != nil {
		return nil, err
	}
	return propertiesOf(fields), nil
}

// readMapping reads a mapping from a file: what a dry run has written, or what GET /TABLE/_mapping answers of a table,
// from "mappings" on.
func readMapping(name string) (map[string]any, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("load: mapping: %w", err)
	}
	var file struct {
		Properties map[string]any
		Mappings   struct{ Properties map[string]any }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("load: mapping %s: %w", name, err)
	}
	switch {
	case file.Properties != nil:
		return file.Properties, nil
	case file.Mappings.Properties != nil:
		return file.Mappings.Properties, nil
	}
	return nil, fmt.Errorf("%w, in %s", errNoProperties, name)
}
