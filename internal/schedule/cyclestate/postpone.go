package cyclestate

import (
	"fmt"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// A provider that refused is asked again by scheduled runs. If it accepted the credential
// before, the fault may be the provider's: it is asked again after refusedFirst, then after
// twice as long each time, up to refusedLast. Otherwise it is asked again after refusedLast,
// which is under an hour: an hourly schedule then asks on every tick.
const (
	refusedFirst = time.Minute
	refusedLast  = 55 * time.Minute
)

// Postponement is why a product's provider must not be asked yet.
type Postponement struct {
	Until  time.Time
	Why    Why
	Reason string // for a person
}

// Why is the kind of a [Postponement].
type Why string

// The kinds of postponements.
const (
	ForQuota   Why = "quota"
	ForRefusal Why = "refused"
)

// Whys lists the kinds of postponements.
var Whys = []Why{ForQuota, ForRefusal}

// PostponementOf returns why a product's provider must not be asked yet: the quota is used up,
// or the credential was refused or does not include the product. It is nil if it may be asked,
// or if nothing is known: one request too many does no harm. The findings are in the state files,
// so they survive a restart. A newer one ends the postponement: a good mkt provider test, an
// answered cycle of another product, a new credential.
func PostponementOf(data string, t *accounts.Tenant, p football.Product, now time.Time) *Postponement {
	if t.Provider == nil {
		return nil
	}
	findings, err := Findings(data, t)
	if err != nil {
		return nil
	}
	fingerprint := t.Provider.Fingerprint()
	if at, code, retry := refused(data, t, p, fingerprint, findings); code != "" && now.Before(at.Add(retry)) && !at.After(now.Add(time.Minute)) {
		until := at.Add(retry)
		return &Postponement{until, ForRefusal, fmt.Sprintf(
			"the provider refused at %s (%s): it is asked again at %s; mkt provider set %s --provider %s, or a good mkt provider test %s, ends that",
			terminal.ClockTime(at), code, terminal.ClockTime(until), t.ID, t.Provider.Name, t.ID)}
	}
	quota := health.NewestQuota(fingerprint, findings...)
	if until, usedUp := quota.UsedUp(now); usedUp {
		said := "the provider's quota is used up until " + terminal.ClockTime(until)
		if quota.Assumed {
			said = "the provider's quota is used up, and it does not say until when: it is asked again at " + terminal.ClockTime(until)
		}
		return &Postponement{until, ForQuota, fmt.Sprintf("%s; a good mkt provider test %s ends that", said, t.ID)}
	}
	return nil
}

// refused returns when the provider last refused the requests of a product, the code, and how long
// after the refusal it is asked again; code is "" if the newest answer was no refusal.
func refused(data string, t *accounts.Tenant, p football.Product, fingerprint string, findings []*health.Run) (at time.Time, code health.Code, retry time.Duration) {
	status := health.CredentialStatusOf(fingerprint, findings...)
	if at := status.RefusedAt(); at != nil {
		return *at, health.CodeCredential, retryAfter(status.RefusalsInARow, status.LastOKAt != nil)
	}
	test, own := found(data, t, p)
	switch {
	case own == nil || own.CredentialFingerprint != fingerprint || own.Code != health.CodePermission:
		return at, "", 0
	case test != nil && test.OK && test.CredentialFingerprint == fingerprint && test.FinishedAt.After(own.FinishedAt) && !test.Plan.Refuses(p.Needs()):
		return at, "", 0 // tested since then: ask again
	}
	return own.FinishedAt, own.Code, retryAfter(own.RefusalsInARow, own.LastOKAt != nil)
}

func retryAfter(refusals int, wasGood bool) time.Duration {
	wait := refusedFirst
	for ; wasGood && refusals > 1 && wait < refusedLast; refusals-- {
		wait *= 2
	}
	if !wasGood {
		return refusedLast
	}
	return min(wait, refusedLast)
}

// found returns the newest test of the connection and the newest fetch of the product, nil if
// there is none.
func found(data string, t *accounts.Tenant, p football.Product) (test, own *health.Run) {
	test, _ = health.ReadIn(data, layout.Tenant(t.ID), health.StepProbe)
	return test, NewestRun(data, t.ID, p, health.StepFetch)
}

// Findings returns the newest test of an account's connection and the newest fetch of each
// product, nil for a missing one.
func Findings(data string, t *accounts.Tenant) ([]*health.Run, error) {
	var findings []*health.Run
	for _, s := range Sources(t.ID) {
		run, err := s.Newest(data)
		if err != nil {
			return nil, fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
		findings = append(findings, run)
	}
	return findings, nil
}
