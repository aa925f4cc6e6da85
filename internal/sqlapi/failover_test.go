package sqlapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/cluster"
	"github.com/esdriver/esdriver/internal/sqlapi"
)

// counter is a document whose reads and writes are answered from lists, each answer once.
func counter(reads, writes []string) *script {
	next := func(list *[]string) string {
		answer := (*list)[0]
		*list = (*list)[1:]
		return answer
	}
	return &script{answer: func(path, _ string) (int, string) {
		switch {
		case strings.HasSuffix(path, "/_mapping"):
			return 200, `{"t":{"mappings":` + numberedMapping + `}}`
		case strings.HasSuffix(path, "/_mget"):
			return 200, `{"docs":[` + next(&reads) + `]}`
		}
		if answer := next(&writes); answer != "" {
			return 200, `{"errors":false,"items":[{"update":` + answer + `}]}`
		}
		return 503, `{"error":{"type":"unavailable_shards_exception","reason":"no"},"status":503}`
	}}
}

// counted is the document after so many changes, the last one under a primary term.
func counted(changes, term int) string {
	return fmt.Sprintf(`{"_id":"1","found":true,"_seq_no":%d,"_primary_term":%d,"_version":%d,"_source":{"id":1,"n":%d}}`,
		changes, term, changes+1, changes)
}

func updatedUnder(term int) string {
	return fmt.Sprintf(`{"status":200,"result":"updated","_primary_term":%d}`, term)
}

const (
	beaten   = `{"status":409,"error":{"type":"version_conflict_engine_exception","reason":"required seqNo"}}`
	noAnswer = ""
)

func increment(t *testing.T, server *script) error {
	client := newClient(t, sqlapi.Config{Doer: server, Product: sqlapi.OpenSearch})
	_, err := client.Conn().ExecContext(context.Background(), "UPDATE t SET n = n + 1 WHERE id = 1", nil)
	return err
}

func TestIncrementThatACopyDoesNotShowYetIsNotDoneAgain(t *testing.T) {
	server := counter(
		[]string{counted(5, 1), counted(5, 1), counted(6, 1)}, // the second read is of a copy that lags behind
		[]string{noAnswer, beaten, beaten},
	)
	require.NoError(t, increment(t, server))
	assert.Equal(t, 3, server.count("/_bulk"))
	assert.Equal(t, 3, server.count("/_mget"))
}

func TestIncrementThatALostPrimaryMayHaveDoneIsToldAsNotKnown(t *testing.T) {
	for name, c := range map[string]struct {
		reads, writes []string
		doubt         bool
	}{
		"primary lost after the write":  {[]string{counted(5, 1), counted(6, 1)}, []string{beaten, updatedUnder(2)}, true},
		"primary lost before the rival": {[]string{counted(5, 1), counted(6, 2)}, []string{beaten, updatedUnder(2)}, false},
		"primary alive":                 {[]string{counted(5, 1), counted(6, 1)}, []string{beaten, updatedUnder(1)}, false},
		"two changes by others":         {[]string{counted(5, 1), counted(7, 1)}, []string{beaten, updatedUnder(2)}, false},
		"primary lost, another change":  {[]string{counted(5, 1), counted(6, 1), counted(7, 2)}, []string{beaten, beaten, updatedUnder(2)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			server := counter(c.reads, c.writes)
			err := increment(t, server)
			if !c.doubt {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, cluster.ErrMaybeExecuted)
			var some *sqlapi.PartialWriteError
			require.ErrorAs(t, err, &some)
			assert.Equal(t, int64(1), some.Unknown)
		})
	}
}
