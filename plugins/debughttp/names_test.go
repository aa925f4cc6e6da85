package debughttp_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/plugins/debughttp"
)

// names returns those of a type's JSON, and of all that is in it.
func names(t *testing.T, of reflect.Type) []string {
	t.Helper()
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
		return nil
	}
	var all []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		require.NotEmpty(t, name, "%s.%s", of, field.Name)
		all = append(append(all, name), names(t, field.Type)...)
	}
	return all
}

func TestEveryNameOfTheJSONIsDocumentedAndInSnakeCase(t *testing.T) {
	text, err := os.ReadFile("../../docs/plugins.md")
	require.NoError(t, err)
	for _, name := range names(t, reflect.TypeFor[debughttp.Picture]()) {
		assert.Regexp(t, regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`), name)
		assert.Contains(t, string(text), "`"+name+"`")
	}
}
