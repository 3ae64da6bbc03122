package main

import (
	"fmt"
	"time"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/health"
)

// refusedAgain is how soon a provider that refused is asked again by a run that
// nobody started by hand: a little less than an hour, so that an hourly schedule
// asks on every tick and one of 8 seconds some thirty times a day.
const refusedAgain = 55 * time.Minute

// heldBack tells why a job is not to ask its provider yet: the credential that is
// set was refused, or does not include the product. Only a person can help it. A
// new credential, or a good mkt provider test, ends it at once. "" when it may
// ask; so it is where nothing is known, for asking once too often does no harm.
func (a *app) heldBack(j job) string {
	if j.tenant.Provider == nil {
		return ""
	}
	at, code := a.refused(j)
	again := at.Add(refusedAgain)
	if code == "" || !a.now().Before(again) {
		return ""
	}
	return fmt.Sprintf("the provider refused at %s (%s): asked again at %s; mkt provider set %s, or a good mkt provider test %s, ends that",
		at.UTC().Format(time.RFC3339), code, again.UTC().Format(time.RFC3339), j.tenant.ID, j.tenant.ID)
}

// refused is when the provider last refused what the job would ask, and how; ""
// when the newest word is another.
func (a *app) refused(j job) (at time.Time, code string) {
	findings, err := a.findings(j.tenant)
	if err != nil {
		return at, ""
	}
	fingerprint := j.tenant.Provider.Fingerprint()
	if t := health.StandingOf(fingerprint, findings...).RefusedAt(); t != nil {
		return *t, health.CodeCredential
	}
	test, own := a.found(j)
	switch {
	case own == nil || own.CredentialFingerprint != fingerprint || own.Code != health.CodePermission:
		return at, ""
	case test != nil && test.OK && test.CredentialFingerprint == fingerprint && test.FinishedAt.After(own.FinishedAt):
		return at, "" // somebody has looked since: once more then
	}
	return own.FinishedAt, own.Code
}

// found are the newest test of the connection and the newest fetch of the job's
// own product, nil where there is none.
func (a *app) found(j job) (test, own *health.Run) {
	test, _ = source{dir: a.tenantDir(j.tenant.ID), step: health.StepProbe}.newest()
	own, _ = source{dir: a.rootDir(j), step: health.StepFetch}.newest()
	return test, own
}

// findings are the newest test of a tenant's connection and the newest fetch of
// each product; nil where there is none.
func (a *app) findings(t *tenants.Tenant) ([]*health.Run, error) {
	var findings []*health.Run
	for _, s := range a.sources(t) {
		run, err := s.newest()
		if err != nil {
			return nil, fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
		findings = append(findings, run)
	}
	return findings, nil
}
