package sqlapi

import (
	"bytes"
	"cmp"
	"math/big"
	"net/netip"
	"strings"
	"time"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// order compares two values that are not NULL. Values of different sorts are an error: products differ in what they
// make of them.
func (s *scope) order(at sqlparse.Expr, x, y any) (int, error) {
	switch a := x.(type) {
	case int64, uint64, float64:
		if _, ok := asFloat(y); ok {
			return compareNumbers(x, y), nil
		}
	case string:
		if b, ok := y.(string); ok {
			return strings.Compare(a, b), nil
		}
	case bool:
		if b, ok := y.(bool); ok {
			return cmp.Compare(rank(a), rank(b)), nil
		}
	case time.Time:
		if b, ok := y.(time.Time); ok {
			return a.Compare(b), nil
		}
	case netip.Addr:
		if b, ok := y.(netip.Addr); ok {
			return compareAddrs(a, b), nil
		}
	}
	return 0, s.unsupported(at, "a comparison of values of different types")
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareAddrs orders as the servers do, which keep an IPv4 address as the IPv6 address that stands for it.
func compareAddrs(a, b netip.Addr) int {
	x, y := a.As16(), b.As16()
	return bytes.Compare(x[:], y[:])
}

// compareNumbers compares exactly: a float64 is not what an int64 of more than 53 bits becomes.
func compareNumbers(x, y any) int {
	a, aWhole := x.(int64)
	b, bWhole := y.(int64)
	if aWhole && bWhole {
		return cmp.Compare(a, b)
	}
	f, fok := x.(float64)
	g, gok := y.(float64)
	if fok && gok {
		return cmp.Compare(f, g)
	}
	return exact(x).Cmp(exact(y))
}

func exact(v any) *big.Float {
	switch v := v.(type) {
	case int64:
		return new(big.Float).SetInt64(v)
	case uint64:
		return new(big.Float).SetUint64(v)
	case float64:
		return big.NewFloat(v) // not a NaN: neither JSON nor a statement can write one
	}
	return new(big.Float)
}
