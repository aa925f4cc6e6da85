// Programs takes the Go programs out of Markdown files and writes each into a folder of its own, so that go vet can judge
// them: one that begins with package as it stands, any other as the body of a function. What such a fragment takes for
// granted is said by an HTML comment on the line before it, as the function's parameters:
//
//	<!-- with: ctx context.Context, cfg esdriver.Config -->
//
// The compiler's messages name the document and its line.
//
//	programs FOLDER FILE...
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// imports are the packages that fragments name.
var imports = map[string]string{
	"context": "context", "http": "net/http", "sql": "database/sql", "testing": "testing", "time": "time",
	"esdriver":      "github.com/esdriver/esdriver",
	"pool":          "github.com/esdriver/esdriver/pool",
	"fakecluster":   "github.com/esdriver/esdriver/fakecluster",
	"sqlite":        "github.com/esdriver/esdriver/fakecluster/sqlite",
	"esgorm":        "github.com/esdriver/esdriver/plugins/gorm",
	"esbun":         "github.com/esdriver/esdriver/plugins/bun",
	"esxorm":        "github.com/esdriver/esdriver/plugins/xorm",
	"debughttp":     "github.com/esdriver/esdriver/plugins/debughttp",
	"ent":           "github.com/esdriver/esdriver/examples/ent/ent",
	"entsql":        "entgo.io/ent/dialect/sql",
	"dialect":       "entgo.io/ent/dialect",
	"gorm":          "gorm.io/gorm",
	"bun":           "github.com/uptrace/bun",
	"elasticsearch": "github.com/elastic/go-elasticsearch/v8",
	"opensearch":    "github.com/opensearch-project/opensearch-go/v4",
	"opensearchapi": "github.com/opensearch-project/opensearch-go/v4/opensearchapi",
	"elastic":       "github.com/olivere/elastic/v7",
}

var block = regexp.MustCompile("(?s)(?:<!-- with: ([^\n]*) -->\n)?```go\n(.*?)```")

func main() {
	for _, name := range os.Args[2:] {
		if err := write(os.Args[1], name); err != nil {
			fmt.Fprintln(os.Stderr, "programs:", err)
			os.Exit(1)
		}
	}
}

// write writes the programs of a document.
func write(folder, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	for _, at := range block.FindAllSubmatchIndex(text, -1) {
		given, code := string(text[max(at[2], 0):max(at[3], 0)]), string(text[at[4]:at[5]])
		line := 1 + strings.Count(string(text[:at[4]]), "\n")
		before, after, err := around(given, code)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		dir := filepath.Join(folder, fmt.Sprintf("%s-%d", strings.NewReplacer("/", "-", ".md", "").Replace(name), line))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		program := fmt.Sprintf("%s//line %s:%d\n%s%s", before, path, line, code, after)
		if err := os.WriteFile(filepath.Join(dir, "program.go"), []byte(program), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// around returns what makes a file of a fragment; nothing for what is one. The fragment's variables count as used, as they
// are by the lines that follow in real life.
func around(given, code string) (before, after string, err error) {
	if strings.HasPrefix(code, "package ") {
		return "", "", nil
	}
	start := "func _(" + given + ") error {\n"
	file, err := parser.ParseFile(token.NewFileSet(), "", "package fragment\n"+start+code+"}", 0)
	if err != nil {
		return "", "", err
	}
	before = "package fragment\n"
	for _, name := range undeclared(file) {
		if path, ok := imports[name]; ok {
			before += fmt.Sprintf("import %s %q\n", name, path)
		}
	}
	for _, name := range variables(file) {
		after += "_ = " + name + "\n"
	}
	return before + start, after + "panic(0)\n}\n", nil
}

// undeclared returns the words that nothing in the file declares, packages among them.
func undeclared(file *ast.File) []string {
	var names []string
	for _, id := range file.Unresolved {
		if !slices.Contains(names, id.Name) {
			names = append(names, id.Name)
		}
	}
	return names
}

// variables returns the names that the fragment defines on its own level.
func variables(file *ast.File) []string {
	var names []string
	for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
		define, ok := statement.(*ast.AssignStmt)
		if !ok || define.Tok != token.DEFINE {
			continue
		}
		for _, left := range define.Lhs {
			names = append(names, left.(*ast.Ident).Name)
		}
	}
	return names
}
