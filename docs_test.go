package esdriver_test

import (
	"go/parser"
	"go/token"
	"io/fs"
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

// documents returns the Markdown files of the repository.
func documents(t *testing.T) []string {
	var all []string
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			all = append(all, path)
		}
		return err
	}))
	require.NotEmpty(t, all)
	return all
}

// .ci/commands.sh has it compiled, too, for which it needs the modules that are no part of this one.
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
