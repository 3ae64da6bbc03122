package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/internal/cadence"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/schedule/pace"
	"mkt/internal/terminal"
	"mkt/publish/health"
	"mkt/publish/layout"
)

func (d *doctor) schedule(r *root) {
	if r.tenant == nil && d.file == nil {
		return // it is unknown whose data it is
	}
	if r.tenant == nil {
		d.bad(Warn, "DATA_UNKNOWN", "accounts", r.at(""), "add it to "+terminal.Quote(d.Tenants)+" again, or delete what is left of it: "+d.mkt("tenant delete "+r.id), "no tenant in the file has this id")
		return
	}
	if !d.isDue(r) {
		return
	}
	var last time.Time // when something was published last
	if r.head != nil {
		last = r.head.PublishedAt
	}
	c := d.connectionOf(r)
	if r.fs != nil {
		for _, step := range cyclestate.Steps {
			d.step(r, c, step, &last)
		}
		d.payload(r)
	}
	d.connection(r, c)
	if r.refused {
		return // the reason was reported
	}
	if r.stored != nil && r.stored.PublishedAt.After(last) {
		last = r.stored.PublishedAt // by another machine
	}
	_, usedUp := c.quota.UsedUp(d.now)
	if !r.published && r.stored == nil && usedUp {
		return // the reason was reported
	}
	if !r.published && r.stored == nil {
		f := d.bad(Warn, "NEVER_RAN", "schedule", r.at(""), d.mkt("cycle --tenant "+r.id), "nothing was published yet: its data routes answer 503")
		if r.failing != "" {
			f.causedBy(r.failing, "")
		}
		return
	}
	if !last.IsZero() {
		d.overdue(r, c.quota, last)
	}
}

// connection is the state of an account's provider connection, over all its products.
type connection struct {
	findings []*health.Run // the newest test, if there is one, and the newest fetch of every product
	tested   bool          // the first is a test
	status   health.Connection
	quota    *health.Quota
}

// connectionOf reads the same files as serve: the newest test and the newest fetch of every product.
func (d *doctor) connectionOf(r *root) connection {
	var c connection
	look := func(dir, step string) {
		if run, err := health.ReadIn(d.Data, dir, step); err == nil && run != nil {
			c.findings = append(c.findings, run) // an unreadable file is another finding
		}
	}
	look(layout.Tenant(r.id), health.StepProbe)
	c.tested = len(c.findings) > 0
	for _, p := range d.Products {
		look(layout.TenantProduct(r.id, string(p)), health.StepFetch)
	}
	c.status = health.ConnectionStatus(true, false, r.fingerprint(), c.findings...)
	c.quota = health.NewestQuota(r.fingerprint(), c.findings...)
	return c
}

// explains reports whether a failure follows from a finding of the account. Such a failure is not
// reported again for each step and product.
func (c connection) explains(code health.Code, now time.Time) bool {
	_, usedUp := c.quota.UsedUp(now)
	return code == health.CodeRateLimited && usedUp || code == health.CodeCredential && c.status == health.InvalidCredential
}

// once reports whether this is its first call for a code of an account.
func (d *doctor) once(id, code string) bool {
	first := !d.told[id+" "+code]
	d.told[id+" "+code] = true
	return first
}

// step checks a step's state file. A publication without changes is recorded only here.
func (d *doctor) step(r *root, c connection, step string, last *time.Time) {
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
	case !run.OK && c.explains(run.Code, d.now):
		d.ok("schedule", r.at(file), "%s failed for a reason of the account: %s", step, run.Failure())
	case !run.OK && d.unknownBookmaker(r, run):
	case !run.OK:
		f := d.bad(d.severity(run), "CYCLE_FAILING", "schedule", r.at(file), d.remedy(r, run), "%s failed %s: %s, %s ago",
			step, terminal.InARow(run.FailuresInARow), run.Failure(), ago(d.now.Sub(run.FinishedAt)))
		d.causeOf(f, r, run)
		if f != nil {
			r.failing = f.cause
		}
	case run.Code == health.CodeListingHeld:
		d.bad(Warn, "LISTING_HELD", "schedule", r.at(file), "if they are really gone: "+d.mkt("cycle --tenant "+r.id+" --accept-removals"),
			"the listing lacks %d fixtures of the one before: they are kept", run.Counters["held"])
	case run.Counters["listing_short"] > 0:
		d.bad(Warn, "LISTING_SHORT", "schedule", r.at(file), "none is needed if the next list is complete; otherwise ask the provider about the totals in "+
			terminal.Quote(r.at(layout.Cycle(layout.RawDir, layout.CycleID(run.Cycle))).file),
			"the newest list of fixtures is empty or has fewer than it says: no fixture is removed because it lacks it")
	case run.Counters["no_offer"] > 0 && 3*run.Counters["no_offer"] >= run.Counters["selections"]:
		d.bad(Warn, "PRICES_STOPPED", "schedule", r.at(file), "none is needed if the next cycle has prices again; otherwise ask the provider why it sends 1 in "+
			terminal.Quote(r.at(layout.Cycle(layout.RawDir, layout.CycleID(run.Cycle))).file),
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
	d.bad(Fail, "BOOKMAKER_UNKNOWN", "schedule", place{tenant: r.id, product: string(r.product), file: d.Tenants}, d.connect(r.tenant)+" --bookmaker "+terminal.Quote(p.Bookmakers.Default),
		"%s does not know the bookmaker %s: spell it as the provider does; %s is the default", p.Name, terminal.Quote(p.Bookmaker(r.tenant.Provider.Bookmaker)), p.Bookmakers.Default)
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

// causeOf names the cause of a failed run, if other accounts or checks may have the same.
func (d *doctor) causeOf(f *Finding, r *root, run *health.Run) {
	switch run.Failure() {
	case health.CodeStorage:
		f.causedBy(fullDisk, "")
	case health.CodeUnreachable:
		f.causedBy(r.unreachable(), d.mkt("doctor --online"))
	case health.CodeSnapshotDamaged:
		f.causedBy(r.damaged(), "")
	}
}

// unreachable is the cause of findings about a provider that cannot be reached.
func (r *root) unreachable() string {
	return "unreachable " + r.tenant.Provider.Name + " " + r.tenant.Provider.BaseURL
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
		return "run " + r.id + " less often (schedule in " + terminal.Quote(d.Tenants) + "), or buy a larger quota"
	case health.CodePayloadRejected, health.CodeQuarantined:
		return "look at the answers: ls " + terminal.Quote(r.at(layout.Cycle(layout.RawDir, layout.CycleID(run.Cycle))).file)
	case health.CodeSnapshotDamaged:
		return d.recover(r)
	case health.CodeStorage:
		return "df -h " + terminal.Quote(d.Data)
	}
	return d.mkt(fmt.Sprintf("%s --tenant %s --log-level debug", run.Step, r.id))
}

// connection checks the provider connection, as serve does. A finding about the account is reported
// once for all its products.
func (d *doctor) connection(r *root, c connection) {
	at := place{tenant: r.id, file: d.Tenants}
	plan := health.NewestPlan(r.fingerprint(), c.findings...)
	newest := health.CredentialStatusOf(r.fingerprint(), c.findings...)
	switch {
	case c.status == health.InvalidCredential:
		r.refused = true
		if d.once(r.id, "CREDENTIAL_REFUSED") {
			d.bad(Fail, "CREDENTIAL_REFUSED", "schedule", at, d.connect(r.tenant), "the provider refuses the credential: its data routes answer 409, and no cycle runs")
		}
	case c.tested && newest.Code != "" && c.findings[0].FinishedAt.Equal(*newest.LastAttemptAt) && !c.explains(c.findings[0].Failure(), d.now):
		test := c.findings[0]
		level := Warn // it may be temporary
		if test.Failure() == health.CodePermission {
			level = Fail
		}
		if d.once(r.id, "TEST_FAILED") {
			d.causeOf(d.bad(level, "TEST_FAILED", "schedule", at, d.remedy(r, test), "the newest test of the connection failed: %s, %s ago", test.Failure(), ago(d.now.Sub(test.FinishedAt))), r, test)
		}
	case plan.Refuses(r.product.Needs()):
		d.inPlan(r, plan)
	case c.status == health.Verifying && r.published:
		if d.once(r.id, "CREDENTIAL_UNTRIED") {
			d.bad(Warn, "CREDENTIAL_UNTRIED", "schedule", at, d.mkt("provider test "+r.id), "the credential was not tried yet: its data routes answer 409")
		}
	default:
		d.ok("schedule", at, "the connection is %s", c.status)
	}
	if c.quota != nil && d.once(r.id, "quota") {
		d.quota(r, c.quota)
	}
}

// inPlan checks, once for each product, that the plan of the account includes the product's needs.
func (d *doctor) inPlan(r *root, plan *health.Plan) {
	needed := r.product.Needs()
	if r.refused || !plan.Refuses(needed) {
		return
	}
	r.refused = true
	if run, err := health.ReadIn(d.Data, layout.TenantProduct(r.id, string(r.product)), health.StepFetch); err == nil && run != nil && run.Failure() == health.CodePermission {
		return // a finding of its step
	}
	at := place{tenant: r.id, product: string(r.product), file: d.Tenants}
	d.bad(Fail, "NOT_IN_PLAN", "schedule", at, d.largerPlan(r), "the plan of the account does not include %s, which %s needs", needed, r.product)
}

// largerPlan returns the commands to run if the plan does not include a product.
func (d *doctor) largerPlan(r *root) string {
	return "with the credential of a larger plan: " + d.connect(r.tenant) + "; or without the product: " +
		d.mkt(fmt.Sprintf("tenant product unset %s %s", r.id, r.product))
}

// quota checks the provider's newest report of the account's quota.
func (d *doctor) quota(r *root, q *health.Quota) {
	at := place{tenant: r.id, file: d.Tenants}
	_, usedUp := q.UsedUp(d.now)
	if !usedUp {
		d.pace(r, at)
		d.ok("schedule", at, "the provider's quota: %s", q.Describe(d.now))
		return
	}
	more := ""
	if plan, err := pace.Of(d.Data, r.tenant, d.now); err == nil && plan.Over {
		more = "; the whole quota does not carry the schedule: " + plan.Needs()
	}
	d.bad(Warn, "QUOTA_USED_UP", "schedule", at, "none is needed if this is rare; otherwise run it less often (schedule in "+terminal.Quote(d.Tenants)+
		") or buy a larger quota, and then: "+d.mkt("provider test "+r.id), "the provider's quota is %s: its cycles are postponed until then%s", q.Describe(d.now), more)
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
			d.mkt(fmt.Sprintf(`tenant schedule set %s %s "@every %s"`, r.id, one.Product, terminal.Span(one.Pace.String())))+"; or buy a larger quota, and then: "+d.mkt("provider test "+r.id),
			"the provider's quota does not carry the schedule: %s", plan.Describe(one))
	}
	switch {
	case slower:
	case !plan.Fits:
		d.bad(Warn, "QUOTA_TOO_SMALL", "schedule", at, "run it less often (schedule in "+terminal.Quote(d.Tenants)+"), or buy a larger quota, and then: "+d.mkt("provider test "+r.id),
			"what is left of the provider's quota does not last until it is renewed: %s", plan.Needs())
	case plan.Over:
		d.bad(Warn, "QUOTA_TOO_SMALL", "schedule", at, "none is needed with mkt schedule, which slows down in time; with cron or timers run it less often (schedule in "+terminal.Quote(d.Tenants)+"), or buy a larger quota",
			"the whole quota, from one renewal to the next, does not carry the schedule: %s", plan.Needs())
	}
}

func (r *root) fingerprint() string { return r.tenant.Provider.Fingerprint() }

// overdue checks the age of the newest successful cycle. The time in which the quota was used up does
// not count: the cycles were postponed.
func (d *doctor) overdue(r *root, q *health.Quota, last time.Time) {
	s, err := cadence.Parse(r.tenant.Expression(r.product))
	if err != nil {
		return // no schedule: cycles are run by hand
	}
	every, age := cadence.Of(s, d.now), d.now.Sub(last)
	if r.fs != nil {
		if pace, err := health.ReadPace(r.fs); err == nil {
			every = max(every, pace.Expected(d.now, r.fingerprint()))
		}
	}
	if age-postponed(q, last, d.now) > cadence.OverdueAfter*every {
		r.late = true
		d.bad(Fail, "CYCLE_OVERDUE", "schedule", r.at(""), d.mkt("cycle --tenant "+r.id),
			"the newest successful cycle is %s old, and one is due every %s: check that mkt schedule, cron or the timer runs", ago(age), every).
			causedBy(cmp.Or(r.failing, noCycles), d.mkt("cycle"))
		return
	}
	d.ok("schedule", r.at(""), "the newest successful cycle is %s old", ago(age))
}

// postponed returns how long requests were postponed since last, because the quota was used up.
func postponed(q *health.Quota, last, now time.Time) time.Duration {
	if q == nil || q.UsedUpUntil == nil {
		return 0
	}
	from, until := q.At, *q.UsedUpUntil
	if from.Before(last) {
		from = last
	}
	if until.After(now) {
		until = now
	}
	return max(0, until.Sub(from))
}
