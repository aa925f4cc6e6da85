package sqlparse_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// recordings is where the answers of real servers are, beside the repository.
const recordings = "../../../shared/recordings/answers/"

// recording is one SQL statement and a server's answer.
type recording struct {
	group, query, body string
	fetchSize          int
}

func readRecordings(t *testing.T, file string) []recording {
	t.Helper()
	f, err := os.Open(recordings + file)
	if err != nil {
		t.Skip("the recordings of real servers are not beside the repository")
	}
	defer f.Close()
	var list []recording
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var line struct {
			Group, Path, Body string
			Request           string `json:"request_body"`
		}
		require.NoError(t, json.Unmarshal(in.Bytes(), &line))
		var request struct {
			Query     string
			FetchSize int `json:"fetch_size"`
		}
		if strings.Contains(line.Path, "_sql") && json.Unmarshal([]byte(line.Request), &request) == nil && request.Query != "" {
			list = append(list, recording{line.Group, request.Query, line.Body, request.FetchSize})
		}
	}
	return list
}

// changed are the recorded statements that are meant to be sent otherwise than they are written.
func changed(query string) bool {
	return strings.HasSuffix(query, ";") || strings.Contains(query, "score") || strings.HasSuffix(query, "OFFSET 4")
}

func TestRecordedReadsAreSentAsTheyAreWritten(t *testing.T) {
	for file, write := range map[string]func(string) (string, bool){
		"opensearch-2.19.6.jsonl": writeOpenSearch, "opensearch-3.8.0.jsonl": writeOpenSearch, "elasticsearch-7.3.0.jsonl": writeElastic,
	} {
		for _, r := range readRecordings(t, file) {
			if text, ok := write(r.query); ok && !changed(r.query) {
				assert.Equal(t, r.query, text, file)
			}
		}
	}
}

func TestPlainAgreesWithWhatServersPaged(t *testing.T) {
	for _, file := range []string{"opensearch-2.19.6.jsonl", "opensearch-3.8.0.jsonl"} {
		for _, r := range readRecordings(t, file) {
			if r.fetchSize == 0 || r.group != "paging" || r.query == "SELECT 1" {
				continue
			}
			legacy := strings.Contains(r.body, `"cursor":"d:`) || strings.Index(r.body, `"total"`) < strings.Index(r.body, `"datarows"`)
			assert.Equal(t, !legacy, parse(t, sqlparse.OpenSearch, r.query).Plain(), r.query)
		}
	}
}

func TestIndependentReaderReadsEveryRecordedLiteral(t *testing.T) {
	for file, major := range map[string]int{"opensearch-2.19.6.jsonl": 2, "opensearch-3.8.0.jsonl": 3} {
		read := 0
		for _, r := range readRecordings(t, file) {
			literal, isLiteral := strings.CutPrefix(r.query, "SELECT '")
			var answer struct{ Datarows [][]any }
			if r.group != "literal" || !isLiteral || json.Unmarshal([]byte(r.body), &answer) != nil || len(answer.Datarows) == 0 {
				continue
			}
			value, rest, ok := serverReads("'"+literal, major)
			if strings.HasPrefix(rest, " OR 1=1") { // the literal ended early, as the server saw it too
				assert.Equal(t, true, answer.Datarows[0][0])
				continue
			}
			require.True(t, ok, r.query)
			assert.Equal(t, answer.Datarows[0][0], value, r.query)
			read++
		}
		assert.Greater(t, read, 40, file)
	}
}
