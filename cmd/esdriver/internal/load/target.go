package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/table"
)

// target is the table that is written to.
type target struct {
	name  string
	id    string            // tells it from another table of the same name, on this cluster and others
	types map[string]string // the type of each field
}

func (t *target) path(rest string) string { return "/" + url.PathEscape(t.name) + "/" + rest }

// prepare finds the table, or makes it with the properties, and shows its columns.
func (l *loader) prepare(ctx context.Context, name string, properties map[string]any) (*target, error) {
	t := &target{name: name, types: map[string]string{}}
	product, err := l.Product(ctx)
	if err != nil {
		return nil, err
	}
	made, err := l.make(ctx, t, properties)
	if err != nil {
		return nil, err
	}
	fields, err := l.Fields(ctx, name)
	if err != nil {
		return nil, err
	}
	if made {
		l.Printf("Table %s is made for the rows:\n\n", name)
	} else {
		l.Printf("Table %s is there already and takes the rows as its columns are:\n\n", name)
	}
	l.Lines("   ", t.columns(fields))
	l.Println()
	return t, l.identify(ctx, t, product)
}

// make makes the table, and reports whether it was not there.
func (l *loader) make(ctx context.Context, t *target, properties map[string]any) (bool, error) {
	body := map[string]any{"mappings": map[string]any{"properties": properties}}
	err := l.Ask(ctx, http.MethodPut, strings.TrimSuffix(t.path(""), "/"), body, nil)
	if err == nil {
		return true, nil
	}
	if refused, ok := errors.AsType[*link.StatusError](err); ok && exists(refused.Reason()) {
		return false, nil
	}
	return false, fmt.Errorf("load: table %s cannot be made: %w", t.name, err)
}

// exists reports whether a table was not made because there is an index, or an alias, of that name.
func exists(reason string) bool {
	return strings.HasPrefix(reason, "resource_already_exists_exception") ||
		strings.HasPrefix(reason, "invalid_index_name_exception") && strings.Contains(reason, "already exists as alias")
}

// columns takes in the fields and returns them as lines.
func (t *target) columns(fields []link.Field) []string {
	shown := table.Table{Columns: []string{"column", "type"}}
	for _, f := range fields {
		t.types[f.Name] = f.Type
		if !f.Sub {
			shown.Add(f.Name, f.Type)
		}
	}
	return shown.Lines()
}

// identify gives the table its id.
func (l *loader) identify(ctx context.Context, t *target, product link.Product) error {
	var settings map[string]struct {
		Settings struct{ Index struct{ UUID string } }
	}
	if err := l.Ask(ctx, http.MethodGet, t.path("_settings"), nil, &settings); err != nil {
		return err
	}
	id := []string{product.UUID}
	for _, index := range slices.Sorted(maps.Keys(settings)) {
		id = append(id, settings[index].Settings.Index.UUID)
	}
	t.id = strings.Join(id, " ")
	return nil
}
