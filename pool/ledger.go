package pool

import (
	"sync"
	"sync/atomic"
)

// maxDials is how many connections a group dials at a time. More at once would make a node that has just
// come back do nothing but handshakes.
const maxDials = 2

// verdict is the ledger's answer to a class that wants to dial.
type verdict uint8

const (
	refused   verdict = iota // not now; the class is asked again when something changes
	exhausted                // as refused, because all that may be borrowed is lent
	admitted
)

// ledger is what the classes of one group share: two dials at a time and the connections that may be
// borrowed. It is asked only when a connection is opened or closed, never when one is handed on.
//
// Its lock is taken last: a class's lock may be held, and no other lock is taken under it.
type ledger struct {
	shared int32
	done   chan struct{} // closed when the group is closed and its last connection gone

	// Sets of classes, as bits, written under mu and read without it by those who would find them empty.
	short atomic.Uint32 // refused as exhausted, and still in want
	eager atomic.Uint32 // refused, or in want of more than they were admitted

	mu     sync.Mutex // guards all below
	open   int32      // connections, those being dialed included
	dials  int32
	lent   [NumClasses]int32
	turn   int // the class that comes first when one can be admitted
	closed bool
}

func newLedger(shared int32) *ledger {
	return &ledger{shared: shared, done: make(chan struct{})}
}

func isLong(class Class) bool { return class == Recovery || class == Bulk }

// limit returns how many connections the class alone may borrow.
func (l *ledger) limit(class Class) int32 {
	if isLong(class) {
		return l.shared / 2
	}
	return l.shared
}

// left returns how many connections the class may borrow now. The caller holds mu.
func (l *ledger) left(class Class) int32 {
	free := l.shared
	for _, n := range l.lent {
		free -= n
	}
	if isLong(class) {
		free = min(free, l.limit(class)-l.lent[Recovery]-l.lent[Bulk])
	}
	return free
}

// lendable returns how many connections the class may borrow now.
func (l *ledger) lendable(class Class) int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left(class)
}

// admit asks for a dial, of a borrowed connection or one of the class's own. A class that is refused will
// be among the next that takeEager returns. Both resources are taken in one step: if one were held while
// the other is asked for, a class refused in between would not be asked again.
func (l *ledger) admit(class Class, borrow bool) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return refused
	case borrow && l.left(class) <= 0:
		l.eager.Or(1 << class)
		l.short.Or(1 << class)
		return exhausted
	case l.dials >= maxDials:
		l.eager.Or(1 << class)
		return refused
	}
	l.open++
	l.dials++
	if borrow {
		l.lent[class]++
	}
	l.short.And(^uint32(1 << class))
	l.turn = int(class+1) % NumClasses
	return admitted
}

// want notes that the class has waiters for whom no dial was asked.
func (l *ledger) want(class Class) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.eager.Or(1 << class)
}

// calm notes that no waiter of the class lacks a dial any more.
func (l *ledger) calm(class Class) {
	if l.short.Load()&(1<<class) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.short.And(^uint32(1 << class))
}

// takeEager returns the classes that want to dial, as bits, and the one whose turn is first, and forgets them.
func (l *ledger) takeEager() (classes uint32, turn int) {
	if l.eager.Load() == 0 {
		return 0, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.eager.Swap(0), l.turn
}

// dialed notes the end of a dial.
func (l *ledger) dialed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dials--
}

// giveBack notes that a connection is closed, or could not be dialed.
func (l *ledger) giveBack(class Class, borrowed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if borrowed {
		l.lent[class]--
	}
	l.finish()
}

// claimed reports whether the class should give a borrowed connection up for the sake of another: it has no
// use for it itself, or the other has fewer. The difference of two keeps saturated classes from passing one
// connection to and fro.
func (l *ledger) claimed(class Class, inNeed bool) bool {
	short := l.short.Load() &^ (1 << class)
	if short == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for other := range Class(NumClasses) {
		if short&(1<<other) != 0 && l.helps(class, other) && (!inNeed || l.lent[class] > l.lent[other]+1) {
			return true
		}
	}
	return false
}

// helps reports whether other, which may borrow nothing now, could if the class gave one back. The caller holds mu.
func (l *ledger) helps(class, other Class) bool {
	if l.lent[class] == 0 || l.left(other) > 0 {
		return false
	}
	bounded := isLong(other) && l.lent[Recovery]+l.lent[Bulk] >= l.limit(other)
	return !bounded || isLong(class)
}

// lenders returns the classes that could help the class by giving a connection back, as bits.
func (l *ledger) lenders(class Class) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	var classes uint32
	for other := range Class(NumClasses) {
		if other != class && l.helps(other, class) {
			classes |= 1 << other
		}
	}
	return classes
}

// close admits no dial any more.
func (l *ledger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.finish()
	}
}

// finish closes done when the group is closed and has no connection left. The caller holds mu. It cannot
// come here twice: nothing is opened after close, and each call but close's own takes one off.
func (l *ledger) finish() {
	if l.closed && l.open == 0 {
		close(l.done)
	}
}
