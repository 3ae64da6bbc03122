// Package overview has the page with all accounts, their schedules, and the checks of the installation.
package overview

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/cadence"
	"mkt/internal/connection"
	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/dataset"
	"mkt/internal/evidence/doctor"
	"mkt/internal/evidence/inspect"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/snapshot"
	"mkt/serve/account"
)

//go:embed *.html
var Templates embed.FS

// Pages are the pages of the section.
type Pages struct {
	*choice.Reader
	Doctor   func(context.Context) doctor.Report               // checks the installation
	Examples func(context.Context) (list []Example, err error) // what to try first; may be nil

	findings findings
}

// Example is something to try first.
type Example struct{ Link, Title, About string }

// overviewBody is the content of the overview.
type overviewBody struct {
	Now         time.Time
	All, Served int
	Show        string        // which accounts are shown: "served", "not", or "" for all
	Accounts    []accountLine // those shown
	Problem     string        // of tenants.yaml
	Report      doctor.Report
	Checks      template.HTML
	Examples    []Example
}

// accountLine is an account with its products.
type accountLine struct {
	*accounts.Tenant
	Connection connection.State
	Quota      string
	UsedUp     bool
	QuotaDay   strip // of the first product
	Cycles     string
	Products   []productLine
}

// Served reports whether clients of the account get an answer of a product.
func (a *accountLine) Served() bool {
	return a.Status == account.Active && a.Connection.Status.Usable() && slices.ContainsFunc(a.Products, func(p productLine) bool {
		return p.Term == account.InForce && p.Newest != nil && p.Damage == ""
	})
}

// productLine is one product of an account.
type productLine struct {
	Product football.Product
	Cycles  string // the address of its cycles; "" if it has no data
	Term    account.Term
	Next    cyclestate.Next
	Last    *cyclestate.Last // nil if it never ran
	Newest  *inspect.Publication
	Age     time.Duration // of the newest data
	Old     bool          // older than two cadences
	Held    int64         // fixtures kept though a listing lacks them
	Failed  *health.Run   // the newest run of a step, if it failed
	Damage  string
	Day     strip
	Changed string // what the provider changed in its answers; "" for nothing
}

func (c *Pages) Overview(r *http.Request) (frame.View, error) {
	file, err := c.Accounts()
	body := overviewBody{Now: c.Now(), Show: r.URL.Query().Get("accounts"), Problem: terminal.Message(err), Report: c.findings.newest(r.Context(), c.Now(), c.Doctor)}
	if body.Checks, err = body.Report.Document(false).HTML(); err != nil {
		return frame.View{}, err
	}
	if c.Examples != nil {
		if body.Examples, err = c.Examples(r.Context()); err != nil {
			return frame.View{}, err
		}
	}
	if file != nil {
		for i := range file.Tenants {
			line, err := c.accountLine(&file.Tenants[i])
			if err != nil {
				return frame.View{}, err
			}
			body.All++
			if line.Served() {
				body.Served++
			}
			if body.Show == "" || (body.Show == "served") == line.Served() {
				body.Accounts = append(body.Accounts, line)
			}
		}
	}
	return frame.View{Page: "overview", Section: "overview", Title: "Overview", Body: body}, nil
}

func (c *Pages) accountLine(t *accounts.Tenant) (accountLine, error) {
	now := c.Now()
	line := accountLine{Tenant: t}
	var err error
	if line.Connection, err = connection.Of(c.Data, t, now); err != nil {
		return line, err
	}
	if q := line.Connection.Quota; q != nil {
		line.Quota = quotaLine(q, now)
		_, line.UsedUp = q.UsedUp(now)
	}
	for _, p := range football.Products() {
		if _, subscribed := t.Products[p]; !subscribed {
			continue
		}
		product, day, err := c.productLine(t, p, now)
		if err != nil {
			return line, err
		}
		if quota := quotaStrip(&product, &day); line.QuotaDay.Words == "" {
			line.QuotaDay = quota
		}
		line.Cycles = cmp.Or(line.Cycles, product.Cycles)
		line.Products = append(line.Products, product)
	}
	return line, nil
}

func (c *Pages) productLine(t *accounts.Tenant, p football.Product, now time.Time) (l productLine, day cyclestate.Day, err error) {
	l = productLine{Product: p, Term: t.Subscription(p, now)}
	newest := cyclestate.NewestRuns(c.Data, t.ID, p)
	day = cyclestate.DayOf(now, newest...)
	var began time.Time
	if l.Last = cyclestate.LastOf(newest...); l.Last != nil {
		began = l.Last.Began()
	}
	for _, run := range newest {
		switch {
		case run == nil:
		case !run.OK:
			l.Failed = run
		case run.Code == health.CodeListingHeld:
			l.Held = run.Counters["held"]
		}
	}
	root, err := (dataset.Dataset{Data: c.Data, Tenant: t.ID, Product: p}).Open()
	if err != nil {
		l.Next = cyclestate.NextOf(c.Data, t, p, nil, began, now)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, day, nil // nothing was written yet
	case err != nil:
		l.Damage = err.Error()
		return l, day, nil
	}
	defer root.Close()
	l.Cycles = "/cycles/" + t.ID + "/" + string(p)
	if l.Changed, err = doctor.PayloadChange(root, t); err != nil {
		return l, day, err
	}
	pace, err := health.ReadPace(root)
	if err != nil {
		return l, day, err
	}
	l.Next = cyclestate.NextOf(c.Data, t, p, pace, began, now)
	every := l.Next.Cadence
	if t.Provider != nil {
		every = max(every, pace.Expected(now, t.Provider.Fingerprint()))
	}
	l.Day = dayStrip(&l, &day, every)
	head, found, err := snapshot.Head(root)
	switch {
	case snapshot.IsFault(err):
		l.Damage = err.Error()
	case err != nil:
		return l, day, err
	case found:
		newest := inspect.PublicationOf(root, head)
		l.Newest, l.Damage = &newest, newest.Damage
		if at := newest.ProviderFetchedAt; at != nil {
			l.Age = max(0, now.Sub(*at))
			l.Old = every > 0 && l.Age > cadence.OverdueAfter*every
		}
	}
	return l, day, nil
}

// CycleLink returns the address of the newest cycle, or of all if fetch failed before it had an id.
func (l productLine) CycleLink() string {
	if l.Last == nil || l.Last.Cycle == "" {
		return l.Cycles
	}
	return l.Cycles + "/" + l.Last.Cycle
}

// NotServed is the number of accounts that are not served.
func (b overviewBody) NotServed() int { return b.All - b.Served }

// nextView is the next cycle of a product on a page.
type nextView struct {
	cyclestate.Next
	overviewBody
	Cycles string
}

// NextOf returns the next cycle of a product for the template.
func (b overviewBody) NextOf(p productLine) nextView { return nextView{p.Next, b, p.Cycles} }

// moment is a time beside another.
type moment struct {
	At    time.Time
	Today bool // less than twelve hours from the other
	Words string
}

// Ago returns a time with its distance from the page's own.
func (b overviewBody) Ago(at time.Time) moment {
	m := moment{At: at, Words: frame.Span(b.Now.Sub(at)) + " ago"}
	switch until := at.Sub(b.Now); {
	case until.Abs() < time.Second:
		m.Words = "now"
	case until > 0:
		m.Words = "in " + frame.Span(until)
	}
	m.Today = b.Now.Sub(at).Abs() < 12*time.Hour
	return m
}

// quotaLine describes the rest of a quota, short enough for a table.
func quotaLine(q *health.Quota, now time.Time) string {
	left := q.Remaining(now)
	if _, usedUp := q.UsedUp(now); usedUp || left == nil {
		return q.Describe(now)
	}
	text := frame.Count(*left)
	if q.Limit != nil {
		text += " of " + frame.Count(*q.Limit)
	}
	text += " left"
	if at := q.ResetsAt; at != nil && at.Sub(now) < 24*time.Hour {
		text += " until " + at.UTC().Format("15:04")
	} else if at != nil {
		text += " until " + at.UTC().Format("2 Jan")
	}
	return text
}
