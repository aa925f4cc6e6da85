// Package schema says what the library keeps. The code in the folder above is made of it: go generate ./ent
package schema

import (
	"crypto/rand"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
)

// Author writes books. The key is the program's; one that is not given is random text.
type Author struct{ ent.Schema }

// Fields of an author.
func (Author) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").DefaultFunc(rand.Text),
		field.String("name"),
		field.Time("born").Optional().Nillable(),
	}
}

// Edges of an author.
func (Author) Edges() []ent.Edge {
	return []ent.Edge{edge.To("books", Book.Type)}
}
