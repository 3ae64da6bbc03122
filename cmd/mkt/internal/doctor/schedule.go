package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/pace"
	"mkt/cmd/mkt/internal/runs"
	"mkt/cmd/mkt/internal/schedule"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish/health"
	"mkt/publish/layout"
)

func (d *doctor) schedule(r *root) {
	if r.tenant == nil && d.file == nil {
		return // it is unknown whose data it is
	}
	if r.tenant == nil {
		d.bad(Warn, "DATA_UNKNOWN", "accounts", r.at(""), "add it to "+cli.Quote(d.Tenants)+" again, or remove the folder", "no tenant in the file has this id")
		return
	}
	if !d.isDue(r) {
		return
	}
	var last time.Time // when something was published last
	if r.head != nil {
		last = r.head.PublishedAt
	}
	if r.fs != nil {
		for _, step := range runs.Steps {
			d.step(r, step, &last)
		}
	}
	d.connection(r)
	if !r.published && r.refused {
		return // the reason was reported
	}
	if r.stored != nil && r.stored.PublishedAt.After(last) {
		last = r.stored.PublishedAt // by another machine
	}
	if !r.published && r.stored == nil {
		d.bad(Warn, "NEVER_RAN", "schedule", r.at(""), d.mkt("cycle --tenant "+r.id), "nothing was published yet: its data routes answer 503")
		return
	}
	if !last.IsZero() {
		d.overdue(r, last)
	}
}

// step checks a step's state file. Only this file records a publication that had nothing to do.
func (d *doctor) step(r *root, step string, last *time.Time) {
	file := layout.StateDir + "/" + step + ".json"
	run, err := health.Read(r.fs, step)
	if err != nil {
		d.unreadable("schedule", r.at(file), err)
		return
	}
	if run == nil {
		if _, err := r.fs.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			d.bad(Warn, "STATE_UNREADABLE", "schedule", r.at(file), d.mkt("cycle --tenant "+r.id), "it is not a state file")
		}
		return
	}
	if step == "publish" && run.LastOKAt != nil && run.LastOKAt.After(*last) {
		*last = *run.LastOKAt
	}
	another := step == health.StepFetch && run.CredentialFingerprint != r.fingerprint()
	switch {
	case another:
		d.ok("schedule", r.at(file), "the newest fetch was with another credential")
	case !run.OK && d.unknownBookmaker(r, run):
	case !run.OK:
		d.bad(d.severity(run), "CYCLE_FAILING", "schedule", r.at(file), d.remedy(r, run), "%s failed %s: %s, %s ago",
			step, cli.InARow(run.FailuresInARow), run.Failure(), ago(d.now.Sub(run.FinishedAt)))
	case run.Code == health.CodeListingHeld:
		d.bad(Warn, "LISTING_HELD", "schedule", r.at(file), "if they are really gone: "+d.mkt("cycle --tenant "+r.id+" --accept-removals"),
			"the listing lacks %d fixtures of the one before: they are kept", run.Counters["held"])
	case run.Counters["listing_short"] > 0:
		d.bad(Warn, "LISTING_SHORT", "schedule", r.at(file), "none is needed if the next list is complete; otherwise ask the provider about the totals in "+
			cli.Quote(r.at(layout.Cycle(layout.RawDir, layout.CycleID(run.Cycle))).file),
			"the newest list of fixtures is empty or has fewer than it says: no fixture is removed because it lacks it")
	case run.Counters["no_offer"] > 0 && 3*run.Counters["no_offer"] >= run.Counters["selections"]:
		d.bad(Warn, "PRICES_STOPPED", "schedule", r.at(file), "none is needed if the next cycle has prices again; otherwise ask the provider why it sends 1 in "+
			cli.Quote(r.at(layout.Cycle(layout.RawDir, layout.CycleID(run.Cycle))).file),
			"%d of %d selections have a price of 1: it is no offer, so they are not publishable", run.Counters["no_offer"], run.Counters["selections"])
	default:
		d.ok("schedule", r.at(file), "%s succeeded %s ago", step, ago(d.now.Sub(run.FinishedAt)))
	}
}

// unknownBookmaker reports whether a fetch failed because the provider does not know the bookmaker
// of the account.
func (d *doctor) unknownBookmaker(r *root, run *health.Run) bool {
	p, known := all.Lookup(r.tenant.Provider.Name)
	if run.Step != health.StepFetch || run.Code != health.CodePayloadRejected || !known || p.Bookmakers == nil || p.Bookmakers.Unknown == "" {
		return false
	}
	archive, err := raw.Open(r.fs, layout.CycleID(run.Cycle))
	if err != nil || !slices.ContainsFunc(archive.Responses(), func(one raw.Response) bool { return one.Rejected == p.Bookmakers.Unknown }) {
		return false
	}
	r.refused = true
	d.bad(Fail, "BOOKMAKER_UNKNOWN", "schedule", place{tenant: r.id, product: string(r.product), file: d.Tenants}, d.connectWith(r.tenant, p.Bookmakers.Default),
		"%s does not know the bookmaker %s: spell it as the provider does; %s is the default", p.Name, cli.Quote(p.Bookmaker(r.tenant.Provider.Bookmaker)), p.Bookmakers.Default)
	return true
}

// severity returns the level of a failed run. A temporary failure is a warning at first.
func (d *doctor) severity(run *health.Run) Level {
	switch run.Code {
	case health.CodeUnreachable, health.CodeRateLimited, health.CodePayloadRejected, health.CodeQuarantined:
		if run.FailuresInARow < health.DegradedAfter {
			return Warn
		}
	}
	return Fail
}

func (d *doctor) remedy(r *root, run *health.Run) string {
	switch run.Code {
	case health.CodeUnreachable:
		return d.mkt("doctor --online --tenant " + r.id)
	case health.CodeCredential:
		return d.connect(r.tenant)
	case health.CodePermission:
		return d.largerPlan(r)
	case health.CodeRateLimited:
		return "run it less often (schedule in " + cli.Quote(d.Tenants) + "), or buy a larger quota"
	case health.CodePayloadRejected, health.CodeQuarantined:
		return "look at the answers: ls " + cli.Quote(r.at(layout.Cycle(layout.RawDir, layout.CycleID(run.Cycle))).file)
	case health.CodeSnapshotDamaged:
		return d.recover(r)
	case health.CodeStorage:
		return "df -h " + cli.Quote(d.Data)
	}
	return d.mkt(fmt.Sprintf("%s --tenant %s --log-level debug", run.Step, r.id))
}

// connection checks the provider connection as serve does, by the newest test and the newest
// fetch of every product. A fetch whose credential was refused is a finding of its step.
func (d *doctor) connection(r *root) {
	at := place{tenant: r.id, product: string(r.product), file: d.Tenants}
	var findings []*health.Run
	look := func(dir, step string) {
		if run, err := health.ReadIn(d.Data, dir, step); err == nil && run != nil {
			findings = append(findings, run) // an unreadable file is another finding
		}
	}
	look(layout.Tenant(r.id), health.StepProbe)
	tested := len(findings)
	for _, p := range d.Products {
		look(layout.TenantProduct(r.id, string(p)), health.StepFetch)
	}
	plan := health.NewestPlan(r.fingerprint(), findings...)
	newest := health.CredentialStatusOf(r.fingerprint(), findings...)
	switch status := health.ConnectionStatus(true, false, r.fingerprint(), findings...); {
	case status == health.InvalidCredential:
		r.refused = true
		d.bad(Fail, "CREDENTIAL_REFUSED", "schedule", at, d.connect(r.tenant), "the provider refuses the credential: its data routes answer 409")
	case tested > 0 && newest.Code != "" && findings[0].FinishedAt.Equal(*newest.LastAttemptAt):
		test := findings[0]
		level := Warn // it may be temporary
		if test.Failure() == health.CodePermission {
			level = Fail
		}
		d.bad(level, "TEST_FAILED", "schedule", at, d.remedy(r, test), "the newest test of the connection failed: %s, %s ago", test.Failure(), ago(d.now.Sub(test.FinishedAt)))
	case plan.Refuses(r.product.Needs()):
		d.inPlan(r, plan)
	case status == health.Verifying && r.published:
		d.bad(Warn, "CREDENTIAL_UNTRIED", "schedule", at, d.mkt("provider test "+r.id), "the credential was not tried yet: its data routes answer 409")
	default:
		d.ok("schedule", at, "the connection is %s", status)
	}
	d.quota(r, health.NewestQuota(r.fingerprint(), findings...))
}

// inPlan checks, once for each product, that the plan of the account does not refuse what
// the product needs.
func (d *doctor) inPlan(r *root, plan *health.Plan) {
	needed := r.product.Needs()
	if r.refused || !plan.Refuses(needed) {
		return
	}
	r.refused = true
	if run, err := health.ReadIn(d.Data, layout.TenantProduct(r.id, string(r.product)), health.StepFetch); err == nil && run != nil && run.Failure() == health.CodePermission {
		return // that is a finding of its step
	}
	at := place{tenant: r.id, product: string(r.product), file: d.Tenants}
	d.bad(Fail, "NOT_IN_PLAN", "schedule", at, d.largerPlan(r), "the plan of the account does not include %s, which %s needs", needed, r.product)
}

// largerPlan says what to do if the plan does not include a product.
func (d *doctor) largerPlan(r *root) string {
	return d.connect(r.tenant) + " with the credential of a larger plan, or " +
		d.mkt(fmt.Sprintf("tenant product unset %s %s", r.id, r.product))
}

// quota checks the provider's newest report of the account's quota, once for all its products.
func (d *doctor) quota(r *root, q *health.Quota) {
	first := slices.IndexFunc(d.roots, func(other *root) bool { return other.id == r.id && other.published })
	if q == nil || first >= 0 && d.roots[first] != r {
		return
	}
	at := place{tenant: r.id, file: d.Tenants}
	d.pace(r, at)
	if _, usedUp := q.UsedUp(d.now); usedUp {
		d.bad(Warn, "QUOTA_USED_UP", "schedule", at, "none is needed if this is rare; otherwise run it less often (schedule in "+cli.Quote(d.Tenants)+
			") or buy a larger quota, and then: "+d.mkt("provider test "+r.id), "the provider's quota is %s", q.Describe(d.now))
		return
	}
	d.ok("schedule", at, "the provider's quota: %s", q.Describe(d.now))
}

// pace checks whether the provider's quota carries the account's schedule.
func (d *doctor) pace(r *root, at place) {
	plan, err := pace.Of(d.Data, r.tenant, d.now)
	if err != nil {
		return // an unreadable file is another finding
	}
	slower := false
	for _, one := range plan.Products {
		if !one.Slowed() {
			continue
		}
		slower = true
		at := place{tenant: r.id, product: string(one.Product), file: d.Tenants}
		d.bad(Warn, "QUOTA_TOO_SMALL", "schedule", at, "none is needed with mkt schedule, which keeps to that pace; with cron or timers run it as often: "+
			d.mkt(fmt.Sprintf(`tenant schedule set %s %s "@every %s"`, r.id, one.Product, cli.Span(one.Pace.String())))+"; or buy a larger quota, and then: "+d.mkt("provider test "+r.id),
			"the provider's quota does not carry the schedule: %s", plan.Describe(one))
	}
	switch {
	case slower:
	case !plan.Fits:
		d.bad(Warn, "QUOTA_TOO_SMALL", "schedule", at, "run it less often (schedule in "+cli.Quote(d.Tenants)+"), or buy a larger quota, and then: "+d.mkt("provider test "+r.id),
			"what is left of the provider's quota does not last until it is renewed: %s", plan.Needs())
	case plan.Over:
		d.bad(Warn, "QUOTA_TOO_SMALL", "schedule", at, "none is needed with mkt schedule, which slows down in time; with cron or timers run it less often (schedule in "+cli.Quote(d.Tenants)+"), or buy a larger quota",
			"the whole quota, from one renewal to the next, does not carry the schedule: %s", plan.Needs())
	}
}

func (r *root) fingerprint() string { return r.tenant.Provider.Fingerprint() }

func (d *doctor) overdue(r *root, last time.Time) {
	s, err := schedule.Parse(r.tenant.Expression(r.product))
	if err != nil {
		return // no schedule: cycles are run by hand
	}
	cadence, age := schedule.Cadence(s, d.now), d.now.Sub(last)
	if r.fs != nil {
		if pace, err := health.ReadPace(r.fs); err == nil {
			cadence = max(cadence, pace.Expected(d.now, r.fingerprint()))
		}
	}
	if age > schedule.OverdueAfter*cadence {
		r.late = true
		d.bad(Fail, "CYCLE_OVERDUE", "schedule", r.at(""), d.mkt("cycle --tenant "+r.id),
			"the newest successful cycle is %s old, and one is due every %s: check that mkt schedule, cron or the timer runs", ago(age), cadence)
		return
	}
	d.ok("schedule", r.at(""), "the newest successful cycle is %s old", ago(age))
}
