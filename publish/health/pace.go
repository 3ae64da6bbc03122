package health

import (
	"fmt"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Pace is the schedule's pace for the cycles of a product, if the provider's quota does not allow
// the account's own schedule. It is the content of state/pace.json, which the schedule writes.
// Readers need it to tell slow data from late data.
type Pace struct {
	Format int       `json:"format"` // 1
	At     time.Time `json:"at"`
	// Every is the least time between two cycles; 0: as the account's schedule says.
	Every time.Duration `json:"every_ns"`
	// Cadence is the longest time between two of these cycles.
	Cadence time.Duration `json:"cadence_ns"`
	// Slower is the longest time between two cycles at the pace before. It explains the age of
	// the data until SlowerUntil.
	Slower      time.Duration `json:"slower_ns,omitempty"`
	SlowerUntil time.Time     `json:"slower_until,omitzero"`
	// Until is the end of the pace, unless the schedule renews it. Readers must not wait for the
	// cycles of a stopped schedule.
	Until time.Time `json:"until"`
	// CredentialFingerprint is the fingerprint of the sealed credential with this quota.
	CredentialFingerprint string `json:"credential_fingerprint"`
}

const paceFile = layout.StateDir + "/pace.json"

// maxPace is the slowest credible pace.
const maxPace = 24 * time.Hour

// ReadPace returns the pace of a product; nil if there is none or the file is invalid. An error
// comes from the disk.
func ReadPace(f durable.ReadFS) (*Pace, error) {
	var p Pace
	ok, err := ReadState(f, paceFile, Format, &p)
	if !ok || p.Format != Format {
		return nil, err
	}
	return &p, nil
}

// WritePace replaces the pace of a product.
func WritePace(f durable.FS, p Pace) error {
	p.Format = Format
	if err := writeState(f, paceFile, p); err != nil {
		return fmt.Errorf("state of the pace: %w", err)
	}
	return nil
}

// In returns the least time between two cycles at now with a credential, 0 if the
// account's schedule applies.
func (p *Pace) In(now time.Time, fingerprint string) time.Duration {
	if !p.applies(now, p.until(), fingerprint) {
		return 0
	}
	return min(max(p.Every, 0), maxPace)
}

// Expected returns the longest time between two publications that readers must expect at now, 0
// if the account's schedule applies.
func (p *Pace) Expected(now time.Time, fingerprint string) (longest time.Duration) {
	if p.applies(now, p.until(), fingerprint) && p.Every > 0 {
		longest = p.Cadence
	}
	if p != nil && p.applies(now, p.SlowerUntil, fingerprint) {
		longest = max(longest, p.Slower)
	}
	return min(longest, 2*maxPace)
}

func (p *Pace) until() time.Time {
	if p == nil {
		return time.Time{}
	}
	return p.Until
}

func (p *Pace) applies(now, until time.Time, fingerprint string) bool {
	return p != nil && p.CredentialFingerprint == fingerprint && !p.At.After(now.Add(clockSlip)) && now.Before(until)
}
