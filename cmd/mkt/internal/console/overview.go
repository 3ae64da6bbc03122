package console

import (
	"errors"
	"io/fs"
	"net/http"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/doctor"
	"mkt/cmd/mkt/internal/inspect"
	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/snapshot"
	"mkt/serve/account"
)

// overviewBody is what the overview shows.
type overviewBody struct {
	Accounts []accountLine
	Problem  string // of tenants.yaml
	Report   doctor.Report
	Bad      []doctor.Finding
}

// accountLine is an account with its products.
type accountLine struct {
	*tenants.Tenant
	Connection connection
	Quota      string
	UsedUp     bool
	Products   []productLine
}

// productLine is one product of an account.
type productLine struct {
	Product  football.Product
	Term     account.Term
	Schedule string
	Cadence  time.Duration // 0 if it has no schedule
	Next     time.Time     // the next tick; zero if it does not run
	Newest   *inspect.Publication
	Age      time.Duration // of the newest data
	Old      bool          // older than two cadences
	Held     int64         // fixtures that a listing lacks and that are kept
	Failed   *health.Run   // the newest run of a step, if it failed
	Damage   string
}

func (c *Console) overview(r *http.Request) (view, error) {
	file, err := c.tenants()
	body := overviewBody{Problem: cli.Message(err), Report: c.findings(r.Context())}
	body.Bad = body.Report.Bad()
	if file != nil {
		for i := range file.Tenants {
			line, err := c.accountLine(&file.Tenants[i])
			if err != nil {
				return view{}, err
			}
			body.Accounts = append(body.Accounts, line)
		}
	}
	return view{Page: "overview", Section: "overview", Title: "Overview", Body: body}, nil
}

func (c *Console) accountLine(t *tenants.Tenant) (accountLine, error) {
	now := c.Env.Now()
	line := accountLine{Tenant: t}
	var err error
	if line.Connection, err = c.connection(t); err != nil {
		return line, err
	}
	if q := line.Connection.Quota; q != nil {
		line.Quota = q.Describe(now)
		_, line.UsedUp = q.UsedUp(now)
	}
	for _, p := range account.Products() {
		if _, subscribed := t.Products[p]; !subscribed {
			continue
		}
		product, err := c.productLine(t, p, now)
		if err != nil {
			return line, err
		}
		line.Products = append(line.Products, product)
	}
	return line, nil
}

func (c *Console) productLine(t *tenants.Tenant, p football.Product, now time.Time) (productLine, error) {
	l := productLine{Product: p, Term: t.Subscription(p, now), Schedule: t.Expression(p)}
	if s, err := schedule.Parse(l.Schedule); err == nil {
		l.Cadence = schedule.Cadence(s, now)
		if t.Status == account.Active && l.Term == account.InForce && t.Provider != nil && !t.Provider.Disabled {
			l.Next = s.Next(now)
		}
	}
	for _, step := range []string{health.StepFetch, "transform", "publish"} {
		run := c.Env.NewestRun(t.ID, p, step)
		switch {
		case run == nil:
		case !run.OK:
			l.Failed = run
		case run.Code == health.CodeListingHeld:
			l.Held = run.Counters["held"]
		}
	}
	root, err := c.Env.Dataset(t.ID, p).Open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, nil // nothing was written yet
	case err != nil:
		l.Damage = err.Error()
		return l, nil
	}
	defer root.Close()
	head, found, err := snapshot.Head(root)
	switch {
	case snapshot.IsFault(err):
		l.Damage = err.Error()
	case err != nil:
		return l, err
	case found:
		newest := inspect.PublicationOf(root, head)
		l.Newest, l.Damage = &newest, newest.Damage
		if at := newest.ProviderFetchedAt; at != nil {
			l.Age = max(0, now.Sub(*at))
			l.Old = l.Cadence > 0 && l.Age > schedule.OverdueAfter*l.Cadence
		}
	}
	return l, nil
}
