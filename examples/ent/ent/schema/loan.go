package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
)

// Loan is a book in a reader's hands. It has ent's own key, an int.
type Loan struct{ ent.Schema }

// Fields of a loan.
func (Loan) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("book_id"),
		field.String("reader"),
		field.Time("due"),
	}
}

// Edges of a loan.
func (Loan) Edges() []ent.Edge {
	return []ent.Edge{edge.From("book", Book.Type).Ref("loans").Field("book_id").Unique().Required()}
}
