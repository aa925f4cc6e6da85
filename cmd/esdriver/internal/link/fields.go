package link

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Field is a field that holds values.
type Field struct {
	Name string // with dots where it is part of an object
	Type string // the mapping's word
	Sub  bool   // whether it is another view of a field's values, such as name.keyword
}

type properties map[string]struct {
	Type       string
	Properties properties
	Fields     properties
}

type mapping struct {
	Mappings struct{ Properties properties }
}

// Fields returns the fields of a table: an index, an alias or a pattern. They are in the order of their names, and of
// several indices all together.
func (l *Link) Fields(ctx context.Context, table string) ([]Field, error) {
	tables, err := l.mappings(ctx, "/"+url.PathEscape(table)+"/_mapping")
	if err != nil {
		return nil, err
	}
	var fields []Field
	for _, list := range tables {
		fields = append(fields, list...)
	}
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(fields, func(a, b Field) bool { return a.Name == b.Name }), nil
}

// Tables returns the fields of every index, by its name; those whose names begin with a dot are the servers' own and
// left out.
func (l *Link) Tables(ctx context.Context) (map[string][]Field, error) {
	tables, err := l.mappings(ctx, "/_mapping")
	for name := range tables {
		if strings.HasPrefix(name, ".") {
			delete(tables, name)
		}
	}
	return tables, err
}

func (l *Link) mappings(ctx context.Context, path string) (map[string][]Field, error) {
	var answer map[string]mapping
	if err := l.Ask(ctx, http.MethodGet, path, nil, &answer); err != nil {
		return nil, err
	}
	tables := make(map[string][]Field, len(answer))
	for name, m := range answer {
		tables[name] = m.Mappings.Properties.flat("", nil)
	}
	return tables, nil
}

// flat appends the fields that hold values, those within objects by their dotted names.
func (ps properties) flat(prefix string, fields []Field) []Field {
	for name, p := range ps {
		if p.Type == "" || p.Properties != nil {
			fields = p.Properties.flat(prefix+name+".", fields)
			continue
		}
		fields = append(fields, Field{Name: prefix + name, Type: p.Type})
		for sub, view := range p.Fields {
			fields = append(fields, Field{Name: prefix + name + "." + sub, Type: view.Type, Sub: true})
		}
	}
	return fields
}
