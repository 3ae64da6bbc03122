// Package health keeps the state files: the result of the newest run of each step, below
// state/ of a tenant-and-product root. Each file has one writer, which replaces it
// atomically. They decide which error serve returns if there is no data (409, 502, 503)
// and are read by operators; no data depends on them.
//
// The files are fetch.json, transform.json and publish.json, each written by that step,
// calls.json, written by the step that sent the requests, and pace.json, written by the
// schedule. What belongs to the account
// and not to one product is below state/ of the tenant's root: probe.json, written by the
// test of the connection, and its calls.json. ConnectionStatus derives the state of the
// connection from probe.json, the fetch.json of each product and the tenant's provider
// entry.
package health

import "time"

// Steps that check the provider connection.
const (
	StepFetch = "fetch"
	StepProbe = "probe" // a test of the connection, independent of any product and not a run
)

// Run is the result of one run of one step: the content of a state file.
type Run struct {
	Format     int       `json:"format"` // 1
	Step       string    `json:"step"`   // fetch, transform, publish, probe
	Cycle      string    `json:"cycle"`  // "" for a probe
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	OK         bool      `json:"ok"`
	// Code says why the run failed. If OK it is "", CodeListingHeld for a publication
	// that kept fixtures, or CodeRateLimited for a fetch that is incomplete because the
	// quota was used up.
	Code Code `json:"code,omitempty"`
	// LastOKAt is when the step last succeeded; nil if never.
	LastOKAt *time.Time `json:"last_ok_at,omitempty"`
	// FailuresInARow counts failed runs since LastOKAt.
	FailuresInARow int `json:"failures_in_a_row"`
	// FailedAt are the times of the newest of these failures, oldest first, at most
	// DegradedAfter.
	FailedAt []time.Time `json:"failed_at,omitempty"`

	// CredentialFingerprint is the SHA-256 of the sealed credential that the run used
	// (fetch and probe only): results with another credential are ignored.
	CredentialFingerprint string `json:"credential_fingerprint,omitempty"`
	// CredentialAcceptedAt and CredentialRefusedAt are when the provider last accepted
	// and refused the credential; nil if never. A used-up quota means that it was
	// accepted, an unreachable provider neither.
	CredentialAcceptedAt *time.Time `json:"credential_accepted_at,omitempty"`
	CredentialRefusedAt  *time.Time `json:"credential_refused_at,omitempty"`
	// RefusalsInARow counts the runs that were refused, for the credential or for the
	// product, since the credential was last accepted.
	RefusalsInARow int `json:"refusals_in_a_row,omitempty"`

	// Quota is what the provider last reported about the account's quota; nil if it never
	// did (fetch and probe only).
	Quota *Quota `json:"quota,omitempty"`

	// Plan is what answers to this credential showed of the account's plan; nil if they
	// showed nothing (fetch and probe only).
	Plan *Plan `json:"plan,omitempty"`

	// Costs is how much of the quota the newest complete cycles needed, oldest first, at
	// most costsKept of them (fetch only).
	Costs []int64 `json:"costs,omitempty"`

	// Counters are for people and metrics: requests, fixtures, rejected, held, …
	Counters map[string]int64 `json:"counters,omitempty"`
}
