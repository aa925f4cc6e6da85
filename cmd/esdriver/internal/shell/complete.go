package shell

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
)

// keywords are the words of SQL that are worth completing.
var keywords = strings.Fields(`ALTER AND AS ASC AVG BETWEEN BY COUNT CREATE DELETE DESC DESCRIBE DISTINCT DROP EXISTS
FROM GROUP HAVING IN INSERT INTO IS LEFT LIKE LIMIT MAX MIN NOT NULL ON OR ORDER SELECT SET SHOW SUM TABLE TABLES
UPDATE VALUES WHERE`)

// beforeTable are the words after which a table's name stands.
var beforeTable = []string{"FROM", "JOIN", "INTO", "UPDATE", "TABLE", "DESCRIBE", `\D`}

// askWithin bounds the question for tables, since a person waits with a key pressed.
const askWithin = 2 * time.Second

// vocabulary is what can be completed. It is for one goroutine.
type vocabulary struct {
	link    *link.Link
	tables  []string
	columns []string
	known   bool
}

// forget makes the next completion ask for the tables again.
func (v *vocabulary) forget() { v.known = false }

// learn asks for tables and columns. A failure leaves the vocabulary as it was: completion is no place for errors.
func (v *vocabulary) learn() {
	if v.known {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	tables, err := v.link.Tables(ctx)
	if err != nil {
		return
	}
	columns := map[string]bool{}
	for _, fields := range tables {
		for _, f := range fields {
			columns[f.Name] = true
		}
	}
	v.tables, v.columns = slices.Sorted(maps.Keys(tables)), slices.Sorted(maps.Keys(columns))
	v.known = true
}

// complete returns what the word before the cursor may become. The position counts characters.
func (v *vocabulary) complete(line string, position int) (head string, found []string, tail string) {
	rs := []rune(line)
	left, right := string(rs[:position]), string(rs[position:])
	at := strings.LastIndexAny(left, " \t\n,()=<>+*/'\"`;") + 1
	return left[:at], v.candidates(strings.Fields(left[:at]), left[at:]), right
}

// candidates are the words that begin as the given one, in any case.
func (v *vocabulary) candidates(before []string, word string) []string {
	if len(before) == 0 && strings.HasPrefix(word, `\`) {
		var names []string
		for _, c := range commands {
			names = append(names, c.name)
		}
		return beginning(names, word)
	}
	v.learn()
	if n := len(before); n > 0 && slices.Contains(beforeTable, strings.ToUpper(before[n-1])) {
		return beginning(v.tables, word)
	}
	return slices.Concat(beginning(v.columns, word), beginning(v.tables, word), beginning(keywords, word))
}

func beginning(words []string, with string) []string {
	var found []string
	for _, w := range words {
		if len(w) >= len(with) && strings.EqualFold(w[:len(with)], with) {
			found = append(found, w)
		}
	}
	return found
}
