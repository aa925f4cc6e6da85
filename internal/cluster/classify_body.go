package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// maxSQLBody bounds how much of an SQL request is read to judge it; a larger one is taken for a write.
const maxSQLBody = 1 << 20

// idempotentSQL accepts a statement that reads, and the closing of a cursor. A page of a cursor is not
// repeatable on every server; who knows the server marks it.
func idempotentSQL(req *http.Request, op operation) (bool, string) {
	if op.rest != "" {
		return op.rest == "close" || op.rest == "translate" || op.rest == "_explain", "_sql/" + op.rest
	}
	var body struct{ Query, Cursor string }
	if !decodeBody(req, &body) {
		return false, "SQL body not readable twice"
	}
	if body.Cursor != "" {
		return false, "a cursor page is repeatable only on servers that keep it"
	}
	return readsSQL(body.Query), "SQL statement"
}

// readsSQL reports whether the statement starts with a word that only reads.
func readsSQL(query string) bool {
	word := strings.TrimLeft(query, " \t\r\n(")
	if end := strings.IndexFunc(word, func(r rune) bool { return !isLetter(r) }); end >= 0 {
		word = word[:end]
	}
	switch strings.ToUpper(word) {
	case "SELECT", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "SYS", "WITH":
		return true
	}
	return false
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' }

func decodeBody(req *http.Request, into any) bool {
	body, err := rereadBody(req)
	if err != nil {
		return false
	}
	defer body.Close()
	return json.NewDecoder(io.LimitReader(body, maxSQLBody)).Decode(into) == nil
}

// rereadBody opens the request's body from its start, without touching the one that is sent.
func rereadBody(req *http.Request) (io.ReadCloser, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return http.NoBody, nil
	}
	if req.GetBody == nil {
		return nil, errBodyOnce
	}
	return openAgain(req)
}

// idempotentBulk accepts a bulk of which every item is a create with an id or carries a version: the server
// answers 409 to such an item when it has been done. It reads the body, so it is asked only before a retry.
func idempotentBulk(req *http.Request) (bool, string) {
	body, err := rereadBody(req)
	if err != nil {
		return false, "bulk body not readable twice"
	}
	defer body.Close()
	lines := bufio.NewReaderSize(body, 64<<10)
	for {
		action, err := readLine(lines, maxActionLine)
		if len(bytes.TrimSpace(action)) > 0 {
			repeatable, hasSource := guardedItem(action)
			if !repeatable {
				return false, "a bulk item without id and guard"
			}
			if hasSource && skipLine(lines) != nil {
				return false, "bulk body not understood"
			}
		}
		if err != nil {
			return err == io.EOF, "every bulk item is guarded"
		}
	}
}

// maxActionLine bounds an action line; longer ones are not understood.
const maxActionLine = 16 << 10

type bulkAction struct {
	ID      *string         `json:"_id"`
	SeqNo   json.RawMessage `json:"if_seq_no"`
	Version json.RawMessage `json:"version"`
}

// guardedItem reports whether an action line may be repeated and whether a source line follows it.
func guardedItem(line []byte) (repeatable, hasSource bool) {
	var item map[string]bulkAction
	if json.Unmarshal(line, &item) != nil || len(item) != 1 {
		return false, false
	}
	for kind, a := range item {
		guarded := a.ID != nil && *a.ID != "" && (kind == "create" || a.SeqNo != nil || a.Version != nil)
		return guarded, kind != "delete"
	}
	return false, false
}

func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull || len(line) > limit {
			return line, err
		}
	}
}

func skipLine(r *bufio.Reader) error {
	for {
		if _, err := r.ReadSlice('\n'); err != bufio.ErrBufferFull {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}
