package sqlapi

import (
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const cachedColumns = 512

// columnCache remembers what the members "columns" and "schema" mean, by their text: a program runs the same
// statements again and again.
type columnCache struct {
	mu    sync.RWMutex // guards lists
	lists map[string][]column
}

// parse returns the columns, which nobody may change.
func (c *columnCache) parse(text jsontext.Value) ([]column, error) {
	c.mu.RLock()
	list, ok := c.lists[string(text)]
	c.mu.RUnlock()
	if ok {
		return list, nil
	}
	list, err := parseColumns(text)
	if err == nil {
		c.keep(string(text), list)
	}
	return list, err
}

// keep remembers a list. When there are too many it forgets them all, which is rare and cheap.
func (c *columnCache) keep(text string, list []column) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil || len(c.lists) >= cachedColumns {
		c.lists = map[string][]column{}
	}
	c.lists[text] = list
}

func parseColumns(text jsontext.Value) ([]column, error) {
	var sent []struct {
		Name  string `json:"name"`
		Alias string `json:"alias"`
		Type  string `json:"type"`
	}
	if err := json.Unmarshal(text, &sent, decodeOptions...); err != nil {
		return nil, err
	}
	list := make([]column, len(sent))
	for i, c := range sent {
		list[i] = newColumn(c.Name, c.Alias, c.Type)
	}
	return list, nil
}
