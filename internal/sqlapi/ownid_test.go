package sqlapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// taken is a server that says of the first bulk request's documents that they are there already, and shows them as
// found makes them of what was sent.
func taken(mapping string, found func(source string) string) *script {
	first, bulks := "", 0
	server := &script{}
	server.answer = func(path, body string) (int, string) {
		switch {
		case strings.HasSuffix(path, "/_mapping"):
			return 200, `{"t":{"mappings":` + mapping + `}}`
		case strings.HasSuffix(path, "/_mget"):
			return 200, `{"docs":[` + found(strings.Split(first, "\n")[1]) + `]}`
		}
		bulks++
		if bulks > 1 {
			return 200, `{"errors":false,"items":[{"create":{"status":201,"result":"created"}}]}`
		}
		first = body
		items := strings.Repeat(`,{"create":{"status":409,"error":{"type":"version_conflict_engine_exception","reason":"exists"}}}`, strings.Count(body, "\n")/2)
		return 200, `{"errors":true,"items":[` + items[1:] + `]}`
	}
	return server
}

const numberedMapping = `{"_meta":{"sql":{"pk":"id","columns":[{"name":"id","type":"BIGINT","auto":true}]}},"properties":{"id":{"type":"long"},"n":{"type":"long"}}}`

func document(source string) string {
	return `{"_id":"x","found":true,"_seq_no":1,"_primary_term":2,"_version":1,"_source":` + source + `}`
}

func (s *script) count(path string) int {
	n := 0
	for _, sent := range s.sent {
		if strings.Contains(sent, path) {
			n++
		}
	}
	return n
}

func TestRowThatTheServerHasWrittenAndDeniesIsOurs(t *testing.T) {
	server := taken(numberedMapping, document)
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	result, err := client.Conn().ExecContext(context.Background(), "INSERT INTO t (n) VALUES (5)", nil)
	require.NoError(t, err)
	n, _ := result.RowsAffected()
	assert.Equal(t, int64(1), n)
	assert.Equal(t, 1, server.count("_bulk"), "it is not written again")
}

func TestNumberThatAnotherHasTakenIsReplacedByAnother(t *testing.T) {
	server := taken(numberedMapping, func(string) string { return document(`{"id":1,"n":6}`) })
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	result, err := client.Conn().ExecContext(context.Background(), "INSERT INTO t (n) VALUES (5)", nil)
	require.NoError(t, err)
	n, _ := result.RowsAffected()
	assert.Equal(t, int64(1), n)
	id, err := result.LastInsertId()
	require.NoError(t, err)
	last := server.sent[len(server.sent)-1]
	assert.Contains(t, last, fmt.Sprintf(`"_id":"%d"`, id))
	assert.NotContains(t, server.sent[1], fmt.Sprint(id))
}

func TestNumbersOfSeveralRowsAreNotReplaced(t *testing.T) {
	server := taken(numberedMapping, func(string) string {
		return document(`{"id":1,"n":6}`) + "," + document(`{"id":1,"n":6}`)
	})
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	_, err := client.Conn().ExecContext(context.Background(), "INSERT INTO t (n) VALUES (5), (6)", nil)
	require.ErrorIs(t, err, sqlapi.ErrDuplicateKey, "they would not follow each other any more")
	assert.Equal(t, 1, server.count("_bulk"))
}

func TestRowWithATextMadeHereIsOursWhateverBecameOfIt(t *testing.T) {
	server := taken(`{"properties":{"n":{"type":"long"}}}`, func(string) string { return document(`{"n":99}`) })
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	_, err := client.Conn().ExecContext(context.Background(), "INSERT INTO t (n) VALUES (5)", nil)
	require.NoError(t, err)
	assert.Equal(t, 1, server.count("_bulk"))
}

func TestRowThatCannotBeReadBackIsNotKnown(t *testing.T) {
	server := taken(numberedMapping, func(string) string { return "" })
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.Elasticsearch})
	_, err := client.Conn().ExecContext(context.Background(), "INSERT INTO t (n) VALUES (5)", nil)
	var some *sqlapi.PartialWriteError
	require.ErrorAs(t, err, &some)
	assert.Equal(t, int64(1), some.Unknown)
}
