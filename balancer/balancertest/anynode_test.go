package balancertest_test

import "testing"

func TestBalancerOfTheExamplePassesTheSuite(t *testing.T) { conformance(t) }
