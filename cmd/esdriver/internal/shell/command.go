package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/result"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// commands are what a backslash begins, in the order of the help.
var commands = []struct {
	name, argument, help string
	run                  func(*shell, context.Context, string) error
}{
	{`\d`, "[TABLE]", "the tables, or the columns of one", (*shell).describe},
	{`\explain`, "STATEMENT", "where a SELECT would go, and what the server makes of it", (*shell).explain},
	{`\format`, "FORMAT", "how rows are shown: " + strings.Join(result.Formats, ", "), (*shell).setFormat},
	{`\x`, "", "values one below the other, or not any more", (*shell).toggleVertical},
	{`\timing`, "", "how long statements take, or not any more", (*shell).toggleTiming},
	{`\q`, "", "the end", func(*shell, context.Context, string) error { return errQuit }},
}

// CommandError is a shell command that is unknown, or lacks something.
type CommandError struct{ Command, Msg string }

// Error names the command.
func (e *CommandError) Error() string { return "shell: " + e.Command + ": " + e.Msg }

// command runs a line that begins with a backslash.
func (s *shell) command(ctx context.Context, line string) error {
	name, argument, _ := strings.Cut(line, " ")
	argument = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(argument), ";"))
	if name == `\?` {
		return s.help()
	}
	for _, c := range commands {
		if c.name != name {
			continue
		}
		if c.argument == "" && argument != "" {
			return &CommandError{name, "takes no argument"}
		}
		return c.run(s, ctx, argument)
	}
	return &CommandError{name, `unknown command; \? lists them`}
}

func (s *shell) help() error {
	for _, c := range commands {
		fmt.Fprintf(s.out, "%-20s %s\n", strings.TrimSpace(c.name+" "+c.argument), c.help)
	}
	_, err := fmt.Fprintf(s.out, "%-20s %s\n", `\?`, "this list")
	return err
}

func (s *shell) setFormat(_ context.Context, name string) error {
	if err := result.Check(name); err != nil {
		return err
	}
	s.format, s.vertical = name, false
	return nil
}

func (s *shell) toggleVertical(context.Context, string) error {
	s.vertical = !s.vertical
	return s.note("Values one below the other: %s.", onOff(s.vertical))
}

func (s *shell) toggleTiming(context.Context, string) error {
	s.timing = !s.timing
	return s.note("Timing: %s.", onOff(s.timing))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// describe shows the tables, or the columns of one.
func (s *shell) describe(ctx context.Context, table string) error {
	if table == "" {
		return s.tables(ctx)
	}
	fields, err := s.Fields(ctx, strings.Trim(table, "\"`"))
	if err != nil {
		return err
	}
	rows := make([][]any, 0, len(fields))
	for _, f := range fields {
		rows = append(rows, []any{f.Name, f.Type})
	}
	return s.list([]string{"column", "type"}, rows)
}

func (s *shell) tables(ctx context.Context) error {
	tables, err := s.Tables(ctx)
	if err != nil {
		return err
	}
	rows := make([][]any, 0, len(tables))
	for name, fields := range tables {
		rows = append(rows, []any{name, int64(len(fields))})
	}
	slices.SortFunc(rows, func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) })
	return s.list([]string{"table", "columns"}, rows)
}

func (s *shell) list(columns []string, rows [][]any) error {
	w, err := result.New(s.effective(), s.out)
	if err != nil {
		return err
	}
	if err := w.Head(columns); err != nil {
		return err
	}
	for _, row := range rows {
		if err := w.Row(row); err != nil {
			return err
		}
	}
	return w.End()
}

// explain shows how the request of a SELECT would travel, and the server's own explanation.
func (s *shell) explain(ctx context.Context, text string) error {
	st, err := sqlparse.Parse(s.flavor, text)
	if err != nil {
		return err
	}
	if !st.Kind().Reads() {
		return &CommandError{`\explain`, "only a statement that is sent as SQL can be explained, and " + st.Kind().String() + " is not"}
	}
	ask, translate := "/_sql", "/_sql/translate"
	if s.flavor == sqlparse.OpenSearch {
		ask, translate = "/_plugins/_sql", "/_plugins/_sql/_explain"
	}
	req, err := link.Request(ctx, http.MethodPost, ask, []byte("{}"))
	if err != nil {
		return err
	}
	fmt.Fprint(s.out, s.Explain(req).Text)
	body, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		return fmt.Errorf("shell: %w", err)
	}
	answer, err := s.Call(ctx, http.MethodPost, translate, body)
	if err != nil {
		return err
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, answer, "", "  ") != nil {
		pretty.Write(answer)
	}
	_, err = fmt.Fprintln(s.out, strings.TrimSpace(pretty.String()))
	return err
}
