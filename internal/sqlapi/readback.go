package sqlapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// version tells one state of a document from another. The zero value is of no document.
type version struct{ seqNo, term int64 }

// stored is a document as it is at this moment, whether searches see it already or not.
type stored struct {
	id     string
	found  bool
	at     version
	number int64          // counts the changes of the document
	source jsontext.Value // nil when the index keeps none
}

// maxReadIDs bounds how many documents are read at once.
const maxReadIDs = 200

// getAnswer is one document of an answer to _mget.
type getAnswer struct {
	ID          string         `json:"_id"`
	Found       bool           `json:"found"`
	SeqNo       int64          `json:"_seq_no"`
	PrimaryTerm int64          `json:"_primary_term"`
	Version     int64          `json:"_version"`
	Source      jsontext.Value `json:"_source"`
	Error       *errorObject   `json:"error"`
}

// readBack reads the documents with the ids, in their order, at most maxReadIDs of them.
func (c *Client) readBack(ctx context.Context, index string, ids []string, call Call) ([]stored, error) {
	resp, err := c.send(ctx, request{
		method: http.MethodPost, path: "/" + index + "/_mget", query: call.documentQuery(), body: idsBody(ids),
		id: call.RequestID, repeat: repeatYes,
	})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct {
		Docs []getAnswer `json:"docs"`
	}
	if err := json.UnmarshalRead(resp.Body, &answer, decodeOptions...); err != nil {
		return nil, &AnswerError{Node: nodeOf(resp), Msg: "to _mget cannot be read", Err: err}
	}
	if len(answer.Docs) != len(ids) {
		return nil, &AnswerError{Node: nodeOf(resp), Msg: "to _mget has not as many documents as were asked for"}
	}
	docs := make([]stored, len(ids))
	for i, a := range answer.Docs {
		if a.Error != nil {
			return nil, newError(resp, http.StatusServiceUnavailable, *a.Error)
		}
		docs[i] = stored{a.ID, a.Found, version{a.SeqNo, a.PrimaryTerm}, a.Version, a.Source}
	}
	return docs, nil
}

func idsBody(ids []string) []byte {
	buf := []byte(`{"ids":[`)
	for i, id := range ids {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf, _ = jsontext.AppendQuote(buf, id)
	}
	return append(buf, "]}"...)
}

// documentQuery is what the call says about requests for documents.
func (c Call) documentQuery() string {
	query := url.Values{}
	if c.Routing != "" {
		query.Set("routing", c.Routing)
	}
	if c.Preference != "" {
		query.Set("preference", c.Preference)
	}
	return query.Encode()
}
