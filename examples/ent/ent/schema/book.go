package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
)

// Book has a key that the driver makes.
type Book struct{ ent.Schema }

// Fields of a book.
func (Book) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("title"),
		field.Enum("form").Values("novel", "story").Default("novel"),
		field.Int("pages").Default(0),
		field.Bool("lent").Default(false),
		field.Strings("subjects").Optional(),
		field.String("author_id").Optional(),
	}
}

// Edges of a book. The column author_id is a field, so it is read without a query of the edge.
func (Book) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("author", Author.Type).Ref("books").Field("author_id").Unique(),
		edge.To("loans", Loan.Type),
	}
}
