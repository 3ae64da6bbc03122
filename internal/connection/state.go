// Package connection describes the connection of an account to its provider: what tests and fetches
// found of it, which the state files of the cycles record, and what changes if another provider or
// bookmaker is connected.
package connection

import (
	"fmt"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/schedule/pace"
	"mkt/publish/football"
	"mkt/publish/health"
)

// State is a provider connection as people and scripts may see it.
type State struct {
	ID            string            `json:"client_id"`
	Provider      string            `json:"provider"` // "" when there is none
	BaseURL       string            `json:"base_url,omitempty"`
	Bookmaker     string            `json:"bookmaker,omitempty"` // whose prices are taken; "" if there is none to choose
	Hint          string            `json:"hint"`
	Status        health.Connection `json:"status"`
	NotTried      string            `json:"not_tried,omitempty"` // why nothing tries the credential; "" if it was tried, or will be
	LastSuccessAt *time.Time        `json:"last_success_at"`
	LastAttemptAt *time.Time        `json:"last_attempt_at"`
	Code          health.Code       `json:"code,omitempty"` // why the last attempt failed
	Quota         *health.Quota     `json:"quota"`          // nil: the provider never reported one
	Terms
	Pace  []Pace                      `json:"pace"` // of the products that run
	Found []Finding                   `json:"found"`
	Calls map[string]map[string]int64 `json:"calls"` // by UTC day and endpoint
}

// Pace is how often a product runs by what is left of the quota.
type Pace struct {
	Product   football.Product `json:"product"`
	Scheduled float64          `json:"scheduled_seconds"` // by tenants.yaml
	Allowed   float64          `json:"allowed_seconds"`   // by the quota: what mkt schedule keeps to
	InForce   bool             `json:"in_force"`          // a running mkt schedule has slowed the product down
	Cost      float64          `json:"cost"`              // of a cycle
	Measured  bool             `json:"measured"`          // false: the cost is an estimate
	Text      string           `json:"-"`                 // for people
}

// Finding is the newest test or fetch.
type Finding struct {
	Of     string      `json:"of"` // test, or a product
	Cycle  string      `json:"cycle,omitempty"`
	At     time.Time   `json:"at"`
	OK     bool        `json:"ok"`
	Code   health.Code `json:"code,omitempty"`
	LastOK *time.Time  `json:"last_ok_at"`
	InARow int         `json:"failures_in_a_row"`
}

// Of returns what tests and fetches found. Findings about another credential than
// the one that is set are ignored. Pace and Calls are empty: [State.Measure] reads them.
func Of(data string, t *accounts.Tenant, now time.Time) (State, error) {
	v := State{ID: t.ID, Status: health.Unconfigured, Terms: TermsOf(nil), Pace: []Pace{}, Found: []Finding{}, Calls: map[string]map[string]int64{}}
	var findings []*health.Run
	for _, s := range cyclestate.Sources(t.ID) {
		run, err := s.Newest(data)
		if err != nil {
			return v, fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
		findings = append(findings, run)
		if run != nil && t.Provider != nil && run.CredentialFingerprint == t.Provider.Fingerprint() {
			v.Found = append(v.Found, Finding{s.Of, run.Cycle, run.FinishedAt, run.OK, run.Code, run.LastOKAt, run.FailuresInARow})
		}
	}
	if p := t.Provider; p != nil {
		fingerprint := p.Fingerprint()
		known := health.CredentialStatusOf(fingerprint, findings...)
		v.Provider, v.BaseURL, v.Bookmaker, v.Hint = p.Name, p.BaseURL, p.BookmakerInUse(), p.Hint
		v.Status = health.ConnectionStatus(true, p.Disabled, fingerprint, findings...)
		v.LastSuccessAt, v.LastAttemptAt, v.Code = known.LastOKAt, known.LastAttemptAt, known.Code
		v.Quota, v.Terms = health.NewestQuota(fingerprint, findings...), TermsOf(health.NewestPlan(fingerprint, findings...))
	}
	if v.Status == health.Verifying && v.LastAttemptAt == nil {
		v.NotTried = cyclestate.Untried(t, now)
	}
	return v, nil
}

// Measure adds how often the products run by what is left of the quota, and the calls of each day.
func (v *State) Measure(data string, t *accounts.Tenant, now time.Time) error {
	for _, s := range cyclestate.Sources(t.ID) {
		if err := s.AddCalls(data, v.Calls); err != nil {
			return fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
	}
	plan, err := pace.Of(data, t, now)
	for _, one := range plan.Products {
		v.Pace = append(v.Pace, Pace{one.Product, one.Cadence.Seconds(), max(one.Cadence, one.Pace).Seconds(), one.Now > 0, one.Cost, one.Measured, plan.Describe(one)})
	}
	return err
}
