package samplertest_test

import "testing"

func TestSamplerOfTheExamplePassesTheSuite(t *testing.T) { conformance(t) }
