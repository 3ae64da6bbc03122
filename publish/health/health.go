// Package health keeps the state files: the result of the newest run of each step, below state/
// of a tenant-and-product root. Each file has one writer, which replaces it atomically. If there
// is no data, they decide which error serve returns (409, 502, 503). Operators read them too; no
// data depends on them.
//
// Each step writes its own file: fetch.json, transform.json or publish.json. The step that sent
// requests writes calls.json, and the schedule writes pace.json. Files of the account and not of
// one product are below state/ of the tenant's root: probe.json, written by the test of the
// connection, and its calls.json. [ConnectionStatus] derives the state of the connection from
// probe.json, the fetch.json of each product and the tenant's provider entry.
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
	// Code is the reason why the run failed. If OK it is "", or [CodeListingHeld] for a
	// publication with held fixtures, or [CodeRateLimited] for a fetch that is incomplete
	// because the quota was used up.
	Code Code `json:"code,omitempty"`
	// LastOKAt is when the step last succeeded; nil if never.
	LastOKAt *time.Time `json:"last_ok_at,omitempty"`
	// FailuresInARow counts failed runs since LastOKAt.
	FailuresInARow int `json:"failures_in_a_row"`
	// FailedAt are the times of the newest of these failures, oldest first, at most
	// DegradedAfter.
	FailedAt []time.Time `json:"failed_at,omitempty"`

	// CredentialFingerprint is the SHA-256 of the run's sealed credential (fetch and probe only).
	// Results with another credential are ignored.
	CredentialFingerprint string `json:"credential_fingerprint,omitempty"`
	// CredentialAcceptedAt and CredentialRefusedAt are the times when the provider last accepted
	// and refused the credential; nil if never. A used-up quota counts as accepted, an
	// unreachable provider as neither.
	CredentialAcceptedAt *time.Time `json:"credential_accepted_at,omitempty"`
	CredentialRefusedAt  *time.Time `json:"credential_refused_at,omitempty"`
	// RefusalsInARow counts the refused runs since the credential was last accepted. The provider
	// refused the credential or the product.
	RefusalsInARow int `json:"refusals_in_a_row,omitempty"`

	// Quota is the provider's last report about the account's quota; nil if there was none (fetch
	// and probe only).
	Quota *Quota `json:"quota,omitempty"`

	// Plan is the evidence about the account's plan from answers to this credential; nil if there
	// is none (fetch and probe only).
	Plan *Plan `json:"plan,omitempty"`

	// Costs are the parts of the quota needed by the newest complete cycles, oldest first, at
	// most costsKept of them (fetch only).
	Costs []int64 `json:"costs,omitempty"`

	// Hours are the runs of the newest [HoursKept] hours in which there were any, oldest first.
	Hours []Hour `json:"hours,omitempty"`

	// Counters are for people and metrics: requests, fixtures, rejected, held, …
	Counters map[string]int64 `json:"counters,omitempty"`
}
