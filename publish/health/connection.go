package health

import "time"

// Connection is the state of a provider connection (specification, section 3.3).
type Connection string

const (
	Unconfigured      Connection = "UNCONFIGURED"
	Verifying         Connection = "VERIFYING"
	Connected         Connection = "CONNECTED"
	Degraded          Connection = "DEGRADED"
	InvalidCredential Connection = "INVALID_CREDENTIAL"
	Disabled          Connection = "DISABLED"
)

// Usable reports whether data routes may answer.
func (c Connection) Usable() bool { return c == Connected || c == Degraded }

// DegradedAfter is how many failed runs in a row make a connection DEGRADED.
const DegradedAfter = 3

// ConnectionStatus derives the connection's state (DESIGN, section 4). configured and
// disabled are from tenants.yaml, and fingerprint is that of the sealed credential there.
// findings are the account's newest test and the newest fetch of each product, in any
// order, nil if there is none. Those with another fingerprint are ignored, so that a new
// credential begins as VERIFYING.
func ConnectionStatus(configured, disabled bool, fingerprint string, findings ...*Run) Connection {
	if !configured {
		return Unconfigured
	}
	if disabled {
		return Disabled
	}
	return CredentialStatusOf(fingerprint, findings...).status()
}

// CredentialStatus combines the findings about one credential.
type CredentialStatus struct {
	LastOKAt       *time.Time // newest good test or run; nil if never
	LastAttemptAt  *time.Time // newest test or run; nil if never
	Code           Code       // why the newest one failed; "" if it succeeded, or there is none
	FailuresInARow int        // failed runs since LastOKAt, at most DegradedAfter a product
	RefusalsInARow int        // refusals of the credential, counted by the run or test that was refused last

	accepted, refused *time.Time
}

// CredentialStatusOf combines the findings that have a fingerprint.
func CredentialStatusOf(fingerprint string, findings ...*Run) CredentialStatus {
	var s CredentialStatus
	for _, f := range findings {
		if f == nil || f.CredentialFingerprint != fingerprint {
			continue
		}
		if later(&f.FinishedAt, s.LastAttemptAt) {
			s.LastAttemptAt, s.Code = &f.FinishedAt, f.Failure()
		}
		s.LastOKAt = latest(s.LastOKAt, f.LastOKAt)
		s.accepted = latest(s.accepted, latest(f.CredentialAcceptedAt, f.LastOKAt))
		if later(f.CredentialRefusedAt, s.refused) {
			s.refused, s.RefusalsInARow = f.CredentialRefusedAt, f.RefusalsInARow
		}
	}
	for _, f := range findings {
		if f == nil || f.CredentialFingerprint != fingerprint || f.Step == StepProbe {
			continue
		}
		for _, at := range f.FailedAt {
			if later(&at, s.LastOKAt) {
				s.FailuresInARow++
			}
		}
	}
	return s
}

// status is the state of the connection. The newest finding about the credential counts,
// whichever run it is from. Only a successful test or run ends a sequence of failures.
func (s CredentialStatus) status() Connection {
	switch {
	case s.RefusedAt() != nil:
		return InvalidCredential
	case s.FailuresInARow >= DegradedAfter:
		return Degraded
	case s.accepted != nil:
		return Connected
	}
	return Verifying
}

// RefusedAt is when the credential was last refused; nil if never, or if it was accepted
// since.
func (s CredentialStatus) RefusedAt() *time.Time {
	if later(s.accepted, s.refused) {
		return nil
	}
	return s.refused
}

// later reports whether a is after b; nil is before everything.
func later(a, b *time.Time) bool { return a != nil && (b == nil || a.After(*b)) }

func latest(a, b *time.Time) *time.Time {
	if later(b, a) {
		return b
	}
	return a
}
