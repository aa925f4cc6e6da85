package esdriver_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")
	link    = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
)

// documents returns the Markdown files for readers of the project.
func documents(t *testing.T) []string {
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "plugins/*.md", "plugins/*/*.md", "fakecluster/*.md", "bench/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		all = append(all, found...)
	}
	require.NotEmpty(t, all)
	return all
}

func TestGoCodeInDocumentsParses(t *testing.T) {
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, block := range goBlock.FindAllStringSubmatch(string(text), -1) {
			code := block[1]
			if !strings.HasPrefix(code, "package ") {
				code = "package p\nfunc _() {\n" + code + "\n}"
			}
			_, err := parser.ParseFile(token.NewFileSet(), name, code, 0)
			assert.NoError(t, err, "%s:\n%s", name, code)
		}
	}
}

func TestLinksInDocumentsLeadToFiles(t *testing.T) {
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, target := range link.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(name), target[1]))
			assert.NoError(t, err, "link in %s", name)
		}
	}
}
