package batch

import (
	"fmt"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/health"
)

// A provider that refused is asked again by runs that nobody started by hand: soon
// if it accepted the credential before, since data is still good then and the
// refusal may be a fault of the provider's, and each time after twice as long; at
// last, and if it never accepted it, a little less than an hour later, so that an
// hourly schedule asks on every tick.
const (
	refusedFirst = time.Minute
	refusedLast  = 55 * time.Minute
)

// postponement is why a job is not to ask its provider before a time.
type postponement struct {
	until  time.Time
	why    holdReason
	reason string // for a person
}

// holdReason is a metric's label.
type holdReason string

const (
	heldForQuota   holdReason = "quota"
	heldForRefusal holdReason = "refused"
)

var holdReasons = []holdReason{heldForQuota, heldForRefusal}

// heldBack returns why a job is not to ask its provider yet: its quota is used up,
// or the credential that is set was refused, or does not include the product. What
// was found lies in state files, so that a restart knows it as well; whatever was
// found since ends it: a good mkt provider test, a cycle of another product that was
// answered, a new credential. nil if it may ask; so it is where nothing is known, for
// asking once too often does no harm.
func (g *Group) heldBack(j Job) *postponement {
	if j.Tenant.Provider == nil {
		return nil
	}
	findings, err := g.findings(j.Tenant)
	if err != nil {
		return nil
	}
	now, fingerprint := g.Now(), j.Tenant.Provider.Fingerprint()
	if at, code, again := g.refused(j, fingerprint, findings); code != "" && now.Before(at.Add(again)) && !at.After(now.Add(time.Minute)) {
		until := at.Add(again)
		return &postponement{until, heldForRefusal, fmt.Sprintf(
			"the provider refused at %s (%s): it is asked again at %s; mkt provider set %s, or a good mkt provider test %s, ends that",
			cli.ClockTime(at), code, cli.ClockTime(until), j.Tenant.ID, j.Tenant.ID)}
	}
	quota := health.NewestQuota(fingerprint, findings...)
	if until, usedUp := quota.UsedUp(now); usedUp {
		said := "the provider's quota is used up until " + cli.ClockTime(until)
		if quota.Assumed {
			said = "the provider's quota is used up, and it does not say until when: it is asked again at " + cli.ClockTime(until)
		}
		return &postponement{until, heldForQuota, fmt.Sprintf("%s; a good mkt provider test %s ends that", said, j.Tenant.ID)}
	}
	return nil
}

// refused is when the provider last refused what the job would ask, how, and after
// how long it is asked again; code is "" if the newest word is another.
func (g *Group) refused(j Job, fingerprint string, findings []*health.Run) (at time.Time, code string, again time.Duration) {
	standing := health.StandingOf(fingerprint, findings...)
	if t := standing.RefusedAt(); t != nil {
		return *t, health.CodeCredential, askedAgain(standing.RefusalsInARow, standing.LastOKAt != nil)
	}
	test, own := g.found(j)
	switch {
	case own == nil || own.CredentialFingerprint != fingerprint || own.Code != health.CodePermission:
		return at, "", 0
	case test != nil && test.OK && test.CredentialFingerprint == fingerprint && test.FinishedAt.After(own.FinishedAt):
		return at, "", 0 // somebody has looked since: once more then
	}
	return own.FinishedAt, own.Code, askedAgain(own.RefusalsInARow, own.LastOKAt != nil)
}

// askedAgain is how long after a refusal the provider is asked again.
func askedAgain(refusals int, wasGood bool) time.Duration {
	wait := refusedFirst
	for ; wasGood && refusals > 1 && wait < refusedLast; refusals-- {
		wait *= 2
	}
	if !wasGood {
		return refusedLast
	}
	return min(wait, refusedLast)
}

// found are the newest test of the connection and the newest fetch of the job's
// own product, nil where there is none.
func (g *Group) found(j Job) (test, own *health.Run) {
	test, _ = cli.Source{Dir: g.TenantDir(j.Tenant.ID), Step: health.StepProbe}.Newest()
	own, _ = cli.Source{Dir: g.Dataset(j.Tenant.ID, j.Product).Dir(), Step: health.StepFetch}.Newest()
	return test, own
}

// findings are the newest test of a tenant's connection and the newest fetch of
// each product; nil where there is none.
func (g *Group) findings(t *tenants.Tenant) ([]*health.Run, error) {
	var findings []*health.Run
	for _, s := range g.Sources(t) {
		run, err := s.Newest()
		if err != nil {
			return nil, fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
		findings = append(findings, run)
	}
	return findings, nil
}

// quotaOf is what was heard last of a tenant's quota; nil if nothing was, or if that
// cannot be read.
func (g *Group) quotaOf(t *tenants.Tenant) *health.Quota {
	findings, err := g.findings(t)
	if err != nil || t.Provider == nil {
		return nil
	}
	return health.NewestQuota(t.Provider.Fingerprint(), findings...)
}
