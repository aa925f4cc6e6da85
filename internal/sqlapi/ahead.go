package sqlapi

// aheadPage is a page that a goroutine fetches while the one before it is being read. The goroutine ends when the
// first chunk has been decoded or the rows' context ends; Rows waits for it before it ends itself.
type aheadPage struct{ done chan opened }

// readAhead starts to fetch the page after the current one.
func (r *Rows) readAhead() *aheadPage {
	a := &aheadPage{done: make(chan opened, 1)}
	ctx, plan, cursor, columns := r.ctx, r.plan, r.cursor, r.columns
	go func() {
		next, err := plan.fetchNext(ctx, cursor, columns)
		a.done <- opened{next, err}
	}()
	return a
}

// wait returns the page. It may be called once.
func (a *aheadPage) wait() (*page, error) {
	o := <-a.done
	return o.page, o.err
}
