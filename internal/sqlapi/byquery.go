package sqlapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/esdriver/esdriver/internal/sqlparse"
	"github.com/esdriver/esdriver/pool"
)

// A statement by query is one call of _update_by_query or _delete_by_query. The server searches, and changes what it
// has found in batches, a thousand documents each; a document that somebody changes in between is a conflict, which
// ends the call. It is never sent twice.

const (
	// batchRows is how many documents the server changes at once (its scroll_size). What is done in one batch is done
	// within the call; more becomes a task.
	batchRows = 1000
	// taskDeadline is how much time a context must leave for a task to be worth its two requests more.
	taskDeadline = 2 * time.Second
)

// byQuery is one statement by query, ready to be sent.
type byQuery struct {
	write  *write
	api    string // _update_by_query or _delete_by_query
	query  query
	script *script // of an UPDATE
}

// updateByQuery changes every row that WHERE chooses, in one call. It sets w.result and counts in w.done.
func (w *write) updateByQuery(ctx context.Context, n *sqlparse.UpdateStatement) error {
	b := &byQuery{write: w, api: "_update_by_query"}
	if err := w.checkByQuery(n, n.Where, n.Returning); err != nil {
		return err
	}
	w.table = n.Table.Name.String()
	err := w.client.withTable(ctx, w.table, func(t *table) error {
		s, err := newScope(w.statement, t, n.Table.Alias, w.args)
		if err != nil {
			return err
		}
		if b.query, err = s.where(n.Where); err != nil {
			return err
		}
		b.script, err = s.script(n.Set)
		return err
	})
	if err != nil {
		return err
	}
	return b.run(ctx)
}

// removeByQuery deletes every row that WHERE chooses, in one call. It sets w.result and counts in w.done.
func (w *write) removeByQuery(ctx context.Context, n *sqlparse.DeleteStatement) error {
	b := &byQuery{write: w, api: "_delete_by_query"}
	if err := w.checkByQuery(n, n.Where, n.Returning); err != nil {
		return err
	}
	w.table = n.Table.Name.String()
	err := w.client.withTable(ctx, w.table, func(t *table) error {
		s, err := newScope(w.statement, t, n.Table.Alias, w.args)
		if err != nil {
			return err
		}
		b.query, err = s.where(n.Where)
		return err
	})
	if err != nil {
		return err
	}
	return b.run(ctx)
}

// checkByQuery refuses what a statement by query cannot give, and one about all rows unless that is asked for.
func (w *write) checkByQuery(n sqlparse.Node, where sqlparse.Expr, returning []sqlparse.Output) error {
	verb := w.statement.Kind().String()
	switch {
	case len(returning) > 0:
		line, column := w.statement.Position(returning[0])
		return statementError(&sqlparse.UnsupportedError{
			Construct: "RETURNING of " + verb + " by anything but the primary key", Line: line, Column: column,
		})
	case where == nil && !w.client.options.AllowFullTable && !w.call.AllowFullTable:
		return &UnsupportedError{Construct: verb + " without WHERE", Why: "it is about every row: allow_full_table=true allows it"}
	}
	return nil
}

// run counts the rows and changes them, within the call if they are few and by a task if they are many.
func (b *byQuery) run(ctx context.Context) error {
	if b.query.is("match_none") {
		return nil
	}
	if err := b.refresh(ctx); err != nil {
		return err
	}
	matched, err := b.count(ctx)
	if err != nil || matched == 0 {
		return err
	}
	b.write.done.matched = matched
	if matched > batchRows && patient(ctx) {
		err = b.runTask(ctx)
	} else {
		err = b.runCall(ctx)
	}
	b.write.result.affected = b.write.done.updated + b.write.done.deleted
	return b.write.end(err)
}

// patient reports whether a context leaves time for a task.
func patient(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) >= taskDeadline
}

// refresh shows all writes to the search of the call: a document with a newer state would be a conflict. Users who may
// not refresh go without.
func (b *byQuery) refresh(ctx context.Context) error {
	err := b.write.client.refresh(ctx, b.write.table)
	if refused := (*Error)(nil); asError(err, &refused) && refused.Status == http.StatusForbidden {
		return nil
	}
	return err
}

// count is how many rows there are to change.
func (b *byQuery) count(ctx context.Context) (int64, error) {
	var answer struct {
		Count int64 `json:"count"`
	}
	err := b.write.client.call(ctx, b.request("_count", "", map[string]any{"query": b.query}), &answer)
	return answer.Count, err
}

// request is a request about the rows. With a script it is an UPDATE.
func (b *byQuery) request(api, params string, body map[string]any) request {
	text, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		text = nil // not reached: values are checked when they are encoded
	}
	r := request{method: http.MethodPost, path: "/" + b.write.table + "/" + api, body: text, id: b.write.call.RequestID}
	if b.write.call.Routing != "" {
		params = strings.TrimPrefix(params+"&routing="+escaped(b.write.call.Routing), "&")
	}
	r.query = params
	return r
}

// change is the request that changes the rows.
func (b *byQuery) change(params string) request {
	body := map[string]any{"query": b.query}
	if b.script != nil {
		body["script"] = b.script
	}
	r := b.request(b.api, params+"&refresh="+b.visibility(), body)
	r.query, r.repeat = strings.TrimPrefix(r.query, "&"), repeatNo
	return r
}

// visibility is the refresh of the call, which cannot wait for one as single writes can.
func (b *byQuery) visibility() string {
	if b.write.refresh() == "false" {
		return "false"
	}
	return "true"
}

// runCall changes the rows within the call.
func (b *byQuery) runCall(ctx context.Context) error {
	resp, err := b.write.client.doer.RoundTrip(b.write.client.httpRequest(recovery(ctx), b.change("")))
	if err != nil {
		return b.lost(err)
	}
	b.write.client.learn(resp.Header)
	var answer byQueryAnswer
	if err := readAnswer(resp, &answer); err != nil {
		return b.lost(err)
	}
	if answer.Error != nil {
		err := bodyError(resp, answer.Error, resp.StatusCode)
		if b.write.done.matched > batchRows || lost(err) {
			b.write.done.unknown = b.write.done.matched
		}
		return err
	}
	if !ofByQuery(resp.StatusCode) && len(answer.Failures) == 0 {
		return b.lost(&AnswerError{Node: nodeOf(resp), Msg: "of status " + resp.Status + " is not one to " + b.api})
	}
	return b.took(resp, &answer)
}

// ofByQuery reports whether the servers answer so to the call: a gateway on the way has other statuses.
func ofByQuery(status int) bool { return status == http.StatusOK || status == http.StatusConflict }

// lost is the error of a call without an answer: the rows may have been changed, unless it was not sent.
func (b *byQuery) lost(err error) error {
	if lost(err) {
		b.write.done.unknown = b.write.done.matched
	}
	return err
}

// recovery is the class of long work, unless the caller has named one.
func recovery(ctx context.Context) context.Context {
	if _, ok := pool.ClassFrom(ctx); ok {
		return ctx
	}
	return pool.WithClass(ctx, pool.Recovery)
}
