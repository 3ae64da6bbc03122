package console

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/compare"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/verify"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// auditBody is the content of the page with an account's evidence.
type auditBody struct {
	picker
	Newest uint64
	Check  *check // of this account and product; nil if there was none
	Other  *check // a running check of another one; nil if there is none
}

// check is a verification. It goes on when nobody looks at its page.
type check struct {
	Dataset     dataset.Dataset
	Began       time.Time
	Took        time.Duration
	Running     bool
	Done, Total int // cycles
	Report      verify.Report
	Problem     string // why it could not be done
}

// Document returns the verdict as mkt verify prints it.
func (c *check) Document() (template.HTML, error) { return c.Report.Document().HTML() }

// checks keeps the newest verification of each account and product. One runs at a time:
// it reads every byte.
type checks struct {
	mu      sync.Mutex
	newest  map[dataset.Dataset]*check
	running *check
}

// of returns copies of the newest check of a dataset, and of the one now running.
func (c *checks) of(d dataset.Dataset) (own, running *check) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.newest[d]; found != nil {
		shown := *found
		own = &shown
	}
	if c.running != nil {
		shown := *c.running
		running = &shown
	}
	return own, running
}

// begin starts a check, unless one is running.
func (c *checks) begin(d dataset.Dataset, now func() time.Time, run func(progress func(done, total int)) (verify.Report, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		return
	}
	started := &check{Dataset: d, Began: now(), Running: true}
	if c.newest == nil {
		c.newest = make(map[dataset.Dataset]*check)
	}
	c.newest[d], c.running = started, started
	go func() {
		report, err := guarded(func() (verify.Report, error) {
			return run(func(done, total int) {
				c.mu.Lock()
				defer c.mu.Unlock()
				started.Done, started.Total = done, total
			})
		})
		c.mu.Lock()
		defer c.mu.Unlock()
		started.Running, started.Report, started.Problem, started.Took = false, report, terminal.Message(err), now().Sub(started.Began)
		c.running = nil
	}()
}

func (c *Console) audit(r *http.Request) (view, error) {
	p, err := c.pick(r, "/audit")
	if err != nil {
		return view{}, err
	}
	body := auditBody{picker: p}
	v := view{Page: "audit", Section: "audit", Title: "Audit", Body: &body}
	if p.Account == "" {
		return v, nil
	}
	v.Title = "Audit of " + p.Account
	root, err := p.dataset.Open()
	if err != nil {
		return v, err
	}
	defer root.Close()
	if body.Newest, _, err = snapshot.LastRecord(root); err != nil && !snapshot.IsFault(err) {
		return v, err
	}
	own, running := c.checks.of(p.dataset)
	if body.Check = own; running != nil && running.Dataset != p.dataset {
		body.Other = running
	}
	return v, nil
}

// beginCheck starts a check, and returns to the page, which shows how far it is.
func (c *Console) beginCheck(w http.ResponseWriter, r *http.Request) {
	p, err := c.pick(r, "/audit")
	if err == nil && !isOwnRequest(r) { // it costs the machine, and no link of ours does it
		err = badRequest("A check is started on the page itself.")
	}
	if err != nil {
		c.fail(w, r, err)
		return
	}
	c.checks.begin(p.dataset, c.Now, func(progress func(done, total int)) (verify.Report, error) {
		return c.verify(p.dataset, progress)
	})
	http.Redirect(w, r, "/audit/"+p.Account+"/"+string(p.Product), http.StatusSeeOther)
}

func (c *Console) verify(d dataset.Dataset, progress func(done, total int)) (verify.Report, error) {
	root, err := d.Open()
	if err != nil {
		return verify.Report{}, err
	}
	defer root.Close()
	return verify.Run(c.running, verify.Options{ClientID: d.Tenant, Product: d.Product, Root: root, Command: c.Command, Progress: progress})
}

// difference shows what changed between two publications, as mkt diff --html does.
func (c *Console) difference(r *http.Request) (view, error) {
	p, err := c.pick(r, "/audit")
	if err != nil {
		return view{}, err
	}
	report, err := c.compare(r, p)
	if err != nil {
		return view{}, err
	}
	made, err := report.Document("")
	if err != nil {
		return view{}, err
	}
	above := document.Link(fmt.Sprintf("/audit/%s/%s", p.Account, p.Product), fmt.Sprintf("Audit of %s, %s", p.Account, p.Product))
	b := &documentBody{Account: p.Account, Above: []document.Span{above}}
	return b.view("audit", "What changed", made)
}

func (c *Console) compare(r *http.Request, p picker) (*compare.Report, error) {
	root, err := p.dataset.Open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var o compare.Options
	for _, side := range []struct {
		name string
		to   *compare.Side
	}{{"a", &o.A}, {"b", &o.B}} {
		if *side.to, err = c.sideOf(root, r.URL.Query().Get(side.name)); err != nil {
			return nil, err
		}
	}
	if !c.comparing.TryLock() {
		return nil, &problem{http.StatusServiceUnavailable, "Busy", "Another comparison is under way. Try again in a moment."}
	}
	defer c.comparing.Unlock()
	report := compare.NewReport(o)
	sum, err := compare.Run(r.Context(), o, func(change compare.Change) error {
		report.Add(change)
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return nil, &problem{http.StatusServiceUnavailable, "Interrupted", "The comparison was interrupted."}
	}
	if err != nil {
		return nil, err
	}
	report.Finish(sum)
	return report, nil
}

// sideOf opens a publication. text is one of [snapshot.Forms].
func (c *Console) sideOf(root durable.ReadFS, text string) (compare.Side, error) {
	m, err := snapshot.ParseMoment(text, c.Now())
	if err != nil {
		return compare.Side{}, badRequest("%q: want %s.", text, snapshot.Forms)
	}
	commit, err := snapshot.Find(root, m)
	if err != nil {
		return compare.Side{}, notFound("%s: %v.", text, err)
	}
	side, err := compare.Open(root, commit)
	if errors.Is(err, compare.ErrNotKept) {
		return side, notFound("The snapshot of version %d is not kept any more, so that it cannot be compared.", commit.Version)
	}
	return side, err
}
