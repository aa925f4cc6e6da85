package load

import (
	"fmt"
	"time"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

// progress shows how a load goes: in place on a terminal, else with a line now and then.
type progress struct {
	screen *screen.Screen
	source *source
	at     *journal
	began  time.Time
	before place // where this run began
	first  int64 // bytes of the file that were not to be read any more
	every  time.Duration
	live   bool
}

func newProgress(s *screen.Screen, from *source, j *journal) *progress {
	p := &progress{screen: s, source: from, at: j, began: time.Now(), before: j.Done, every: 10 * time.Second}
	p.first = from.read.Load()
	if p.live = s.Fits(1); p.live {
		p.every = 200 * time.Millisecond
	}
	return p
}

// rate is in rows a second, over this run.
func (p *progress) rate() float64 {
	seconds := max(time.Since(p.began).Seconds(), 0.001)
	return float64(p.at.Done.Rows-p.before.Rows) / seconds
}

// show shows the state of the load. How much is left is told by the bytes that were read, since nobody knows the
// number of rows.
func (p *progress) show() {
	line := fmt.Sprintf("   %s rows, %.0f rows/s", grouped(p.at.Done.Rows), p.rate())
	if read := p.source.read.Load(); p.source.size > 0 && read > 0 {
		line += fmt.Sprintf(", %d%% read, %s left", 100*read/p.source.size, p.left(read))
	}
	if p.at.Rejected > 0 {
		line += fmt.Sprintf(", %s rejected", grouped(p.at.Rejected))
	}
	if p.live {
		p.screen.Redraw([]string{line})
		return
	}
	p.screen.Println(line)
}

// left is how long the rest will take if it goes on as until now.
func (p *progress) left(read int64) time.Duration {
	if read <= p.first {
		return 0
	}
	took := float64(time.Since(p.began))
	return time.Duration(took * float64(p.source.size-read) / float64(read-p.first)).Round(time.Second)
}

// done wipes the line of a terminal.
func (p *progress) done() {
	if p.live {
		p.screen.Redraw(nil)
	}
}
