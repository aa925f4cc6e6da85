// Package browsertest has no code but its tests: they look at the page of plugins/debughttp with headless Chromium.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// variable names the browser, for machines where it is not in PATH under one of its usual names.
const variable = "ESDRIVER_TEST_CHROMIUM"

// browser is the one that all tests share, each with a tab and a profile of its own; nil, for a reason, where there is
// none.
var (
	browser context.Context
	reason  = "there is no chromium in PATH"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run starts the browser around the tests. One that was named must start; one that was found need not.
func run(m *testing.M) int {
	program := chromium()
	if program == "" {
		return m.Run()
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	ctx, quit := chromedp.NewContext(ctx)
	defer quit()
	if err := chromedp.Do(ctx); err == nil {
		browser = ctx
	} else if reason = fmt.Sprintf("%s does not start: %v", program, err); os.Getenv(variable) != "" {
		fmt.Fprintln(os.Stderr, "browsertest:", reason)
		return 1
	}
	return m.Run()
}

// chromium finds the browser; empty when there is none.
func chromium() string {
	if named := os.Getenv(variable); named != "" {
		return named
	}
	for _, name := range []string{"chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// needBrowser skips the test where there is no browser.
func needBrowser(t *testing.T) {
	t.Helper()
	if browser == nil {
		t.Skipf("%s; set %s to a browser of its kind", reason, variable)
	}
}

// patience is how long a test may take that waits for what does not come.
const patience = time.Minute

// tab is a browser's tab on a page. What it complains of fails the test.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu         sync.Mutex // guards what follows, which the tab's own goroutine adds
	requested  []string
	complaints []string
}

// openTab opens the page at url in a tab of its own.
func openTab(t *testing.T, url string) *tab {
	t.Helper()
	b := &tab{t: t, url: url}
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.hear))
	_, err := chromedp.Call(ctx, audits.Enable, cdp.Empty{})
	require.NoError(t, err)
	var cancel context.CancelFunc
	b.ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(func() {
		cancel()
		end()
		b.requireQuiet()
	})
	b.load("")
	return b
}

// hear notes what the page asks for, and all that a developer's tools would show of it.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requested = append(b.requested, e.Request.URL)
	case *network.EventLoadingFailed:
		b.complain("loading failed: %s %s %s", e.Type, e.ErrorText, e.BlockedReason)
	case *runtime.EventConsoleAPICalled:
		b.complain("console: %s", e.Type)
	case *runtime.EventExceptionThrown:
		b.complain("exception: %s", e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.complain("log: %s %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *audits.EventIssueAdded:
		b.complain("issue: %s", e.Issue.Code)
	case *page.EventJavascriptDialogOpening:
		b.complain("dialog: %s", e.Message)
	}
}

func (b *tab) complain(format string, args ...any) {
	b.complaints = append(b.complaints, fmt.Sprintf(format, args...))
}

// requireQuiet looks back at what was heard: no complaint, and no request but for the page itself.
func (b *tab) requireQuiet() {
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(b.t, b.complaints)
	assert.NotEmpty(b.t, b.requested)
	for _, url := range b.requested {
		address, _, _ := strings.Cut(url, "?")
		assert.Equal(b.t, b.url, address, "the page asks for nothing but itself")
	}
}

// load goes to the page with a query, and returns when it is there.
func (b *tab) load(query string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url + query))
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, steps...))
}

// eval is the value of an expression in the tab.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, expression)
	return value
}

// rows are those of a table, by its headings. A cell over several rows counts for each of them.
func (b *tab) rows(id string) []map[string]string {
	b.t.Helper()
	return eval[[]map[string]string](b, fmt.Sprintf(`(table => {
		const text = cell => cell.textContent.replace(/\s+/g, " ").trim()
		const heads = [...table.tHead.rows[0].cells].map(text)
		let first
		return [...table.tBodies].flatMap(body => [...body.rows]).map(row => {
			const cells = [...row.cells].map(text)
			if (cells.length < heads.length) cells.unshift(first)
			first = cells[0]
			return Object.fromEntries(heads.map((head, i) => [head, cells[i]]))
		})
	})(document.getElementById(%q))`, id))
}

// text is what an element says, spaces and line breaks made one space.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`document.querySelector(%q).textContent.replace(/\s+/g, " ").trim()`, selector))
}
