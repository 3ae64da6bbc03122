package provider

import (
	"errors"
	"fmt"
)

// ErrUnreachable: the provider could not be reached within the budget.
var ErrUnreachable = errors.New("provider unreachable")

// AnswerError is an answer other than the requested one. Its text names the
// endpoint and the provider's own error word, never a URL or a body.
type AnswerError struct {
	Endpoint string
	Status   int // 0 if nothing was sent
	Verdict  Verdict
}

func (e *AnswerError) Error() string {
	word := e.Verdict.Code
	if word == "" {
		word = "unexpected answer"
	}
	if e.Status == 0 { // nothing was sent
		return fmt.Sprintf("%s: %s", e.Endpoint, word)
	}
	return fmt.Sprintf("%s: %s (status %d)", e.Endpoint, word, e.Status)
}
