package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// batchError is what failed of several jobs.
type batchError struct {
	of int

	mu   sync.Mutex // guards errs while jobs run
	errs []error
}

// add notes a job's failure, and tells it at once when more jobs follow.
func (e *batchError) add(report io.Writer, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of > 1 {
		fmt.Fprintf(report, "mkt: %v\n", err)
	}
	e.errs = append(e.errs, err)
}

// whole is the failure of the command: the job's own error when there was one
// job, else a count, the errors having been told.
func (e *batchError) whole() error {
	switch {
	case len(e.errs) == 0:
		return nil
	case e.of == 1:
		return e.errs[0]
	}
	return e
}

func (e *batchError) Error() string { return fmt.Sprintf("%d of %d runs failed", len(e.errs), e.of) }

func (e *batchError) Unwrap() []error { return e.errs }

var errInterrupted = errors.New("interrupted; what was published stays, run it again for the rest")
