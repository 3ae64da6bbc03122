package decode

import (
	"errors"
	"fmt"

	"mkt/fetch/provider"
)

// ErrUnreadable is wrapped by the error of an accepted answer that cannot be used
// after all.
var ErrUnreadable = errors.New("the answer cannot be read")

// VerdictOf returns the verdict in an error of an Exchange; its kind is Accepted if there
// is none.
func VerdictOf(err error) provider.Verdict {
	var answer *provider.AnswerError
	if errors.As(err, &answer) {
		return answer.Verdict
	}
	return provider.Verdict{}
}

// KindOf returns the kind of verdict in an error of an Exchange.
func KindOf(err error) provider.Kind { return VerdictOf(err).Kind }

// MustStop reports whether an error ends the run: a refused credential or product, and
// an error from elsewhere than the provider, such as a full disk.
func MustStop(err error) bool {
	switch KindOf(err) {
	case provider.CredentialFault, provider.PermissionFault:
		return true
	case provider.Accepted:
		return err != nil && !errors.Is(err, provider.ErrUnreachable) && !errors.Is(err, ErrUnreadable)
	}
	return false
}

// WorthSplitting reports whether smaller requests may succeed.
func WorthSplitting(err error) bool {
	k := KindOf(err)
	return k == provider.Rejected || k == provider.Retryable || errors.Is(err, ErrUnreadable)
}

// Unreadable returns the error of an accepted answer, by its name, that cannot be used
// after all because of err.
func Unreadable(what string, err error) error {
	return fmt.Errorf("%s: %w: %w", what, ErrUnreadable, err)
}
