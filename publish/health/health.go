// Package health keeps the state files: what each run found, one writer a
// file, overwritten atomically below state/ of a tenant-and-product root. They
// steer what serve answers when there is no data (409, 502, 503) and
// what an operator reads; no data depends on them.
//
// Files: fetch.json (writer: fetch), transform.json (transform), publish.json
// (publish). The provider's connection state is derived from fetch.json and the
// tenant's provider entry by ConnectionStatus.
package health

import "time"

// Run is what one run of one step found. It is the whole content of a state file.
type Run struct {
	Format     int       `json:"format"` // 1
	Step       string    `json:"step"`   // fetch, transform, publish
	Cycle      string    `json:"cycle"`
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	OK         bool      `json:"ok"`
	// Code says why it failed, from a closed set: PROVIDER_UNREACHABLE,
	// CREDENTIAL_REJECTED, PERMISSION_DENIED, RATE_LIMITED, PAYLOAD_REJECTED,
	// LISTING_HELD, QUARANTINED, STORAGE, INTERNAL. "" when OK.
	Code string `json:"code,omitempty"`
	// LastOKAt is when the step last succeeded; nil when never.
	LastOKAt *time.Time `json:"last_ok_at,omitempty"`
	// FailuresInARow counts failed runs since LastOKAt.
	FailuresInARow int `json:"failures_in_a_row"`
	// CredentialFingerprint is the SHA-256 of the sealed credential the run
	// used (fetch only): a state found with another credential says nothing.
	CredentialFingerprint string `json:"credential_fingerprint,omitempty"`
	// Counters are for people and metrics: requests, fixtures, rejected, held, …
	Counters map[string]int64 `json:"counters,omitempty"`
}

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

// Usable tells whether data routes may answer.
func (c Connection) Usable() bool { return c == Connected || c == Degraded }

// DegradedAfter is how many failed runs in a row make a connection DEGRADED.
const DegradedAfter = 3

// ConnectionStatus derives the connection's state. configured and disabled come
// from tenants.yaml, fingerprint is that of the sealed credential there, run is
// the newest fetch state (of either product), nil when there was none.
// A run with another fingerprint says nothing: VERIFYING.
func ConnectionStatus(configured, disabled bool, fingerprint string, run *Run) Connection {
	switch {
	case !configured:
		return Unconfigured
	case disabled:
		return Disabled
	case run == nil || run.CredentialFingerprint != fingerprint:
		return Verifying
	case run.Code == "CREDENTIAL_REJECTED":
		return InvalidCredential
	case run.FailuresInARow >= DegradedAfter:
		return Degraded
	case run.LastOKAt != nil:
		return Connected
	}
	return Verifying
}
