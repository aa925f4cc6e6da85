package load

import (
	"context"
	"errors"
	"strings"
	"time"
)

// file loads one file, or the rest of it.
func (l *loader) file(ctx context.Context, name string) (err error) {
	j, err := openJournal(name, l.table)
	if err != nil {
		return err
	}
	if j.Done.Rows > 0 {
		l.Printf("%s: going on after row %s.\n", name, grouped(j.Done.Rows))
	}
	if err := j.save(); err != nil {
		return err // now, and not after an hour's work that could not be resumed
	}
	bad, err := openRejects(rejectsName(name, l.table.name), j.Kept)
	if err != nil {
		return err
	}
	s, err := openSource(name, j.Done)
	if err != nil {
		return errors.Join(err, bad.close())
	}
	p := newProgress(l.Screen, s, j)
	err = errors.Join(l.transfer(ctx, s, j, bad, p), s.close(), bad.close(), j.save())
	p.done()
	if err != nil {
		l.Printf("%s: %s settled; the same command goes on after them.\n", name, counted(j.Done.Rows, "row is", "rows are"))
		return err
	}
	l.sum(name, j, bad, p)
	return j.remove()
}

// sum says what became of a file.
func (l *loader) sum(name string, j *journal, bad *rejects, p *progress) {
	parts := []string{grouped(j.Created) + " loaded"}
	if j.Already > 0 {
		parts = append(parts, grouped(j.Already)+" there already")
	}
	if j.Rejected > 0 {
		parts = append(parts, grouped(j.Rejected)+" rejected")
		l.failed.Rows += j.Rejected
		l.failed.Files = append(l.failed.Files, bad.name)
	}
	l.Printf("%s: %s: %s; %.1f s, %s rows/s.\n", name, counted(j.Done.Rows, "row", "rows"), strings.Join(parts, ", "),
		time.Since(p.began).Seconds(), grouped(int64(p.rate())))
}
