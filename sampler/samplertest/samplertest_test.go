package samplertest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/sampler"
	"github.com/esdriver/esdriver/sampler/samplertest"
)

func TestBuiltInSamplersConform(t *testing.T) {
	for _, name := range []string{"static", "ping", "sniff"} {
		t.Run(name, func(t *testing.T) {
			samplertest.Run(t, func() sampler.Sampler {
				s, err := sampler.New(name, nil)
				require.NoError(t, err)
				return s
			})
		})
	}
}
