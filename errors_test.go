package esdriver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/pool"
)

func TestSafeToRetryIsTrueOnlyWhenNothingWasSent(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"nil":            {nil, false},
		"unknown":        {errors.New("x"), false},
		"context":        {context.Canceled, false},
		"closed":         {fmt.Errorf("x: %w", esdriver.ErrClosed), true},
		"no node":        {esdriver.ErrNoNode, true},
		"pool":           {&pool.TimeoutError{}, true},
		"sent":           {&esdriver.AttemptError{Wrote: true, Err: esdriver.ErrClosed}, false},
		"unsent":         {fmt.Errorf("x: %w", &esdriver.AttemptError{Err: errors.New("refused")}), true},
		"maybe executed": {esdriver.ErrMaybeExecuted, false},
		"server":         {&esdriver.Error{Status: 400}, false},
	} {
		assert.Equal(t, c.want, esdriver.SafeToRetry(c.err), name)
	}
}

func TestPoolTimeoutErrorIsErrPoolTimeout(t *testing.T) {
	assert.ErrorIs(t, &pool.TimeoutError{}, esdriver.ErrPoolTimeout)
}

func TestServerErrorSaysItInOneLineAndIsItsSentinel(t *testing.T) {
	err := &esdriver.Error{Status: 400, Type: "parsing_exception", Reason: "line 1:1", Node: "n1", SQLState: "23505"}
	assert.EqualError(t, err, "esdriver: 400 parsing_exception: line 1:1 (node n1)")
	assert.ErrorIs(t, err, esdriver.ErrDuplicateKey)
	assert.NotErrorIs(t, &esdriver.Error{SQLState: "42000"}, esdriver.ErrDuplicateKey)
}
