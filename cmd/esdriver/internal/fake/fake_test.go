package fake_test

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/fake"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// start runs a cluster until the test ends, and returns what it has written when it listens.
func start(t *testing.T, config fake.Config) string {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	r, w := io.Pipe()
	config.Out = w
	ended := make(chan error, 1)
	go func() {
		err := fake.Run(ctx, config)
		w.CloseWithError(io.EOF)
		ended <- err
	}()
	t.Cleanup(func() {
		interrupt()
		assert.NoError(t, <-ended, "an interrupt is its usual end")
	})
	var text bytes.Buffer
	part := make([]byte, 256)
	for !strings.Contains(text.String(), "DSN ") {
		n, err := r.Read(part)
		require.NoError(t, err)
		text.Write(part[:n])
	}
	return text.String()
}

func TestClusterAnswersStatementsAtTheDSNThatItWrites(t *testing.T) {
	for _, product := range []string{"elasticsearch", "opensearch"} {
		leaktest.Check(t)
		text := start(t, fake.Config{Product: product, Nodes: 2, SQL: true})
		assert.Equal(t, 2, strings.Count(text, "  http://127.0.0.1:"))
		_, dsn, _ := strings.Cut(strings.TrimSpace(text), "DSN     ")
		assert.True(t, strings.HasPrefix(dsn, product+"://"), dsn)
		db, err := sql.Open("esdriver", dsn)
		require.NoError(t, err)
		var one int
		assert.NoError(t, db.QueryRow("SELECT 1").Scan(&one))
		assert.NoError(t, db.Close())
	}
}

func TestPortThatIsTakenIsAnError(t *testing.T) {
	leaktest.Check(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	err = fake.Run(t.Context(), fake.Config{Product: "elasticsearch", Nodes: 1, Port: taken.Addr().(*net.TCPAddr).Port, Out: io.Discard})
	assert.ErrorContains(t, err, "address already in use")
}

func TestWhatNoClusterCanBeIsAnError(t *testing.T) {
	leaktest.Check(t)
	for _, config := range []fake.Config{
		{Product: "solr", Nodes: 1}, {Product: "elasticsearch", Nodes: 0}, {Product: "elasticsearch", Nodes: 1, Version: "x"},
		{Product: "elasticsearch", Nodes: 2, Port: 65535}, {Product: "elasticsearch", Nodes: 1, Port: -1},
	} {
		config.Out = io.Discard
		assert.Error(t, fake.Run(t.Context(), config), "%+v", config)
	}
}
