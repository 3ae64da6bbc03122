package batch

import (
	"fmt"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// A provider that refused is asked again by scheduled runs. If it accepted the credential
// before, the fault may be the provider's: it is asked again after refusedFirst, then after
// twice as long each time, up to refusedLast. Otherwise it is asked again after refusedLast,
// which is under an hour so that an hourly schedule asks on every tick.
const (
	refusedFirst = time.Minute
	refusedLast  = 55 * time.Minute
)

type postponement struct {
	until  time.Time
	why    postponeReason
	reason string // for a person
}

type postponeReason string

const (
	postponedForQuota   postponeReason = "quota"
	postponedForRefusal postponeReason = "refused"
)

var postponeReasons = []postponeReason{postponedForQuota, postponedForRefusal}

// postponed returns why a job must not ask its provider yet: the quota is used up, or the
// credential was refused or does not include the product. It is nil if the job may ask, or if
// nothing is known: one request too many does no harm. The findings are in the state files,
// so they survive a restart. A newer one ends the postponement: a good mkt provider test, an
// answered cycle of another product, a new credential.
func (g *Group) postponed(j Job) *postponement {
	if j.Tenant.Provider == nil {
		return nil
	}
	findings, err := g.findings(j.Tenant)
	if err != nil {
		return nil
	}
	now, fingerprint := g.Now(), j.Tenant.Provider.Fingerprint()
	if at, code, retry := g.refused(j, fingerprint, findings); code != "" && now.Before(at.Add(retry)) && !at.After(now.Add(time.Minute)) {
		until := at.Add(retry)
		return &postponement{until, postponedForRefusal, fmt.Sprintf(
			"the provider refused at %s (%s): it is asked again at %s; mkt provider set %s, or a good mkt provider test %s, ends that",
			cli.ClockTime(at), code, cli.ClockTime(until), j.Tenant.ID, j.Tenant.ID)}
	}
	quota := health.NewestQuota(fingerprint, findings...)
	if until, usedUp := quota.UsedUp(now); usedUp {
		said := "the provider's quota is used up until " + cli.ClockTime(until)
		if quota.Assumed {
			said = "the provider's quota is used up, and it does not say until when: it is asked again at " + cli.ClockTime(until)
		}
		return &postponement{until, postponedForQuota, fmt.Sprintf("%s; a good mkt provider test %s ends that", said, j.Tenant.ID)}
	}
	return nil
}

// refused returns when the provider last refused the job's requests, the code, and how long
// after that it is asked again; code is "" if the newest answer was no refusal.
func (g *Group) refused(j Job, fingerprint string, findings []*health.Run) (at time.Time, code health.Code, retry time.Duration) {
	status := health.CredentialStatusOf(fingerprint, findings...)
	if t := status.RefusedAt(); t != nil {
		return *t, health.CodeCredential, retryAfter(status.RefusalsInARow, status.LastOKAt != nil)
	}
	test, own := g.found(j)
	switch {
	case own == nil || own.CredentialFingerprint != fingerprint || own.Code != health.CodePermission:
		return at, "", 0
	case test != nil && test.OK && test.CredentialFingerprint == fingerprint && test.FinishedAt.After(own.FinishedAt) && !test.Plan.Refuses(j.Product.Needs()):
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

// found returns the newest test of the connection and the newest fetch of the job's own
// product, nil if there is none.
func (g *Group) found(j Job) (test, own *health.Run) {
	test, _ = health.ReadIn(g.Data, layout.Tenant(j.Tenant.ID), health.StepProbe)
	own, _ = health.ReadIn(g.Data, layout.TenantProduct(j.Tenant.ID, string(j.Product)), health.StepFetch)
	return test, own
}

// findings returns the newest test of a tenant's connection and the newest fetch of each
// product, nil for one that there is not.
func (g *Group) findings(t *tenants.Tenant) ([]*health.Run, error) {
	var findings []*health.Run
	for _, s := range g.Sources(t) {
		run, err := g.NewestOf(s)
		if err != nil {
			return nil, fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
		findings = append(findings, run)
	}
	return findings, nil
}

// quotaOf returns the newest report of a tenant's quota, nil if there is none or if it
// cannot be read.
func (g *Group) quotaOf(t *tenants.Tenant) *health.Quota {
	findings, err := g.findings(t)
	if err != nil || t.Provider == nil {
		return nil
	}
	return health.NewestQuota(t.Provider.Fingerprint(), findings...)
}
