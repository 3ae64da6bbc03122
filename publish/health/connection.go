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

// DegradedAfter is the number of failed runs in a row after which a connection is DEGRADED.
const DegradedAfter = 3

// ConnectionStatus derives the connection's state (DESIGN, section 4). configured and disabled
// are from tenants.yaml, and fingerprint is the fingerprint of its sealed credential. findings
// are the account's newest test and the newest fetch of each product, in any order; nil stands
// for none. Findings with another fingerprint are ignored: a new credential begins as VERIFYING.
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
	Code           Code       // reason why the newest one failed; "" if it succeeded, or there is none
	FailuresInARow int        // failed runs since LastOKAt, at most DegradedAfter a product
	RefusalsInARow int        // refusals of the credential, as counted by the last refused run or test

	accepted, refused *time.Time
}

// CredentialStatusOf combines the findings with a fingerprint.
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

// status is the state of the connection. The newest finding about the credential counts, whatever
// its run. Only a successful test or run ends a sequence of failures.
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

// RefusedAt is the time of the credential's last refusal; nil if never, or if it was accepted
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
