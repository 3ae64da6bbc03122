package main

import (
	"fmt"
	"io"
	"sync"
)

// output is the standard output. It remembers that it could not be written: a
// command whose answer is lost has not done what was asked. Safe for concurrent use.
type output struct {
	to io.Writer

	mu     sync.Mutex // guards what follows
	failed error      // the first
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.to.Write(p)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// lost is what kept the output from being written, nil when all of it was.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		return nil
	}
	return fmt.Errorf("the output is not complete: %w", o.failed)
}
