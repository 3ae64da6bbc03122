package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// Failures collects the errors of several jobs.
type Failures struct {
	Of int

	mu   sync.Mutex // guards errs while jobs run
	errs []error
}

// Add adds the error of a job. If there are several jobs it is printed at once.
func (e *Failures) Add(report io.Writer, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Of > 1 {
		fmt.Fprintf(report, "mkt: %v\n", err)
	}
	e.errs = append(e.errs, err)
}

// Err returns the error of the command: the job's own if there was one job, otherwise a count,
// because the errors were already printed.
func (e *Failures) Err() error {
	switch {
	case len(e.errs) == 0:
		return nil
	case e.Of == 1:
		return e.errs[0]
	}
	return e
}

func (e *Failures) Error() string { return fmt.Sprintf("%d of %d runs failed", len(e.errs), e.Of) }

func (e *Failures) Unwrap() []error { return e.errs }

var ErrInterrupted = errors.New("interrupted: what was published stays; run the command again for the rest")
