package fetch

import (
	"errors"
	"fmt"
	"time"

	"mkt/fetch/provider"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// The errors of a run to branch on, besides provider.ErrUnreachable and
// durable.ErrNoSpace. These two and [ErrLimited] may go away by themselves; the others
// need a person.
var (
	ErrCredential = errors.New("the provider refuses the credential")
	ErrPermission = errors.New("the plan of the account does not include what was asked for")
	ErrLimited    = errors.New("the provider's quota is used up")
	ErrPayload    = errors.New("the provider's answers are not what was asked for")
)

// storageError is a failure of our own disk.
type storageError struct{ cause error }

func (e *storageError) Error() string { return "archive: " + e.cause.Error() }
func (e *storageError) Unwrap() error { return e.cause }

// askError is an error of the adapter's Ask: of one of its requests, or of answers that
// it could not use.
type askError struct{ cause error }

func (e *askError) Error() string { return e.cause.Error() }
func (e *askError) Unwrap() error { return e.cause }

// codeOf returns the code of an error, "" for none.
func codeOf(err error) health.Code {
	var answer *provider.AnswerError
	var storage *storageError
	var asking *askError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &storage) || errors.Is(err, durable.ErrNoSpace) || errors.Is(err, layout.ErrNewer):
		return health.CodeStorage
	case errors.Is(err, provider.ErrUnreachable):
		return health.CodeUnreachable
	case errors.As(err, &answer):
		return codeOfVerdict(answer.Verdict.Kind)
	case errors.As(err, &asking):
		return health.CodePayloadRejected
	}
	return health.CodeInternal
}

func codeOfVerdict(k provider.Kind) health.Code {
	switch k {
	case provider.CredentialFault:
		return health.CodeCredential
	case provider.PermissionFault:
		return health.CodePermission
	case provider.Limited:
		return health.CodeRateLimited
	case provider.Retryable:
		return health.CodeUnreachable
	}
	return health.CodePayloadRejected
}

// explain adds the information a person needs to a run's error.
func (r *run) explain(err error) error {
	explained := explain(r.Tenant, err, r.summary.Quota)
	if codeOf(err) == health.CodePayloadRejected {
		return fmt.Errorf("%w: the answers are in %s", explained, layout.Cycle(layout.RawDir, r.summary.Cycle))
	}
	return explained
}

// explain says what happened and, if waiting does not help, how to act. q is the known
// quota, nil if there is none.
func explain(t provider.Tenant, err error, q *health.Quota) error {
	set := fmt.Sprintf("mkt provider set %s --provider %s", t.ID, t.Provider)
	switch codeOf(err) {
	case health.CodeCredential:
		return fmt.Errorf("account %s: %w: %w: store a valid one with: %s", t.ID, ErrCredential, err, set)
	case health.CodePermission:
		return fmt.Errorf("account %s: %w: %w: buy it from %s, or store another credential with: %s", t.ID, ErrPermission, err, t.Provider, set)
	case health.CodeRateLimited:
		return fmt.Errorf("account %s: %w%s: %w", t.ID, ErrLimited, untilWhen(q), err)
	case health.CodePayloadRejected:
		return fmt.Errorf("account %s: %w: %w", t.ID, ErrPayload, err)
	case health.CodeUnreachable:
		return fmt.Errorf("account %s: %s: %w: older data stays; run again later", t.ID, t.Provider, err)
	}
	return fmt.Errorf("account %s: %w", t.ID, err)
}

// untilWhen says how long a quota is used up: " until 2026-11-20T10:00:00Z".
func untilWhen(q *health.Quota) string {
	switch {
	case q == nil || q.UsedUpUntil == nil:
		return ""
	case q.Assumed:
		return fmt.Sprintf(" (the provider does not say until when; ask again after %s)", q.UsedUpUntil.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf(" until %s", q.UsedUpUntil.UTC().Format(time.RFC3339))
}
