// Package health keeps the state files: what each run found, one writer a
// file, overwritten atomically below state/ of a tenant-and-product root. They
// steer what serve answers when there is no data (409, 502, 503) and
// what an operator reads; no data depends on them.
//
// Files: fetch.json (writer: fetch), transform.json (transform), publish.json
// (publish), calls.json (what sent the calls). What belongs to the account and
// not to one product is below state/ of the tenant's root: probe.json (writer:
// the test of the connection) and its calls.json. The provider's connection
// state is derived from probe.json, the fetch.json of each product and the
// tenant's provider entry by ConnectionStatus.
package health

import "time"

// Steps whose findings tell of the provider connection.
const (
	StepFetch = "fetch"
	StepProbe = "probe" // a test of the connection: not a run, and of no product
)

// Run is what one run of one step found. It is the whole content of a state file.
type Run struct {
	Format     int       `json:"format"` // 1
	Step       string    `json:"step"`   // fetch, transform, publish, probe
	Cycle      string    `json:"cycle"`  // "" for a probe
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	OK         bool      `json:"ok"`
	// Code is one of Codes, or "": why it failed. If OK it is CodeListingHeld of a
	// publication that kept fixtures, or CodeRateLimited of a fetch that is not whole
	// because the quota was used up on the way.
	Code Code `json:"code,omitempty"`
	// LastOKAt is when the step last succeeded; nil when never.
	LastOKAt *time.Time `json:"last_ok_at,omitempty"`
	// FailuresInARow counts failed runs since LastOKAt.
	FailuresInARow int `json:"failures_in_a_row"`
	// FailedAt are the newest of these, oldest first, at most DegradedAfter.
	FailedAt []time.Time `json:"failed_at,omitempty"`

	// CredentialFingerprint is the SHA-256 of the sealed credential the run
	// used (fetch and probe only): a state found with another credential says
	// nothing.
	CredentialFingerprint string `json:"credential_fingerprint,omitempty"`
	// CredentialAcceptedAt and CredentialRefusedAt are when the provider last
	// showed that it knows the credential, and that it does not; nil when never.
	// A used up quota shows the first, an unreachable provider neither.
	CredentialAcceptedAt *time.Time `json:"credential_accepted_at,omitempty"`
	CredentialRefusedAt  *time.Time `json:"credential_refused_at,omitempty"`
	// RefusalsInARow counts the runs that were refused, for the credential or for the
	// product, since the credential was last accepted.
	RefusalsInARow int `json:"refusals_in_a_row,omitempty"`

	// Quota is what the provider last said of the account's quota; nil if it never
	// said anything (fetch and probe only).
	Quota *Quota `json:"quota,omitempty"`

	// Counters are for people and metrics: requests, fixtures, rejected, held, …
	Counters map[string]int64 `json:"counters,omitempty"`
}
