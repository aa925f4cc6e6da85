package sqlapi

import (
	"context"
	"net/http"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// refreshTables makes every write to the tables visible to searches.
func (w *write) refreshTables(ctx context.Context, n *sqlparse.RefreshStatement) error {
	for _, name := range n.Tables {
		w.table = name.String()
		if err := checkTable(w.table); err != nil {
			return err
		}
		if err := w.client.refresh(ctx, w.table); err != nil {
			return err
		}
	}
	return nil
}

// refresh makes every write to an index visible to searches.
func (c *Client) refresh(ctx context.Context, name string) error {
	resp, err := c.send(ctx, request{method: http.MethodPost, path: "/" + name + "/_refresh", id: CallFrom(ctx).RequestID, repeat: repeatYes})
	if err != nil {
		return err
	}
	var answer struct {
		Shards struct {
			Failed int `json:"failed"`
		} `json:"_shards"`
	}
	if err := readAnswer(resp, &answer); err != nil {
		return err
	}
	if answer.Shards.Failed > 0 {
		return &AnswerError{Node: nodeOf(resp), Msg: "some shards of " + name + " could not be refreshed"}
	}
	return nil
}
