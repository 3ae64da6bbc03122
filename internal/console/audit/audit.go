// Package audit has the pages that verify what was published, and compare two publications.
package audit

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"sync"
	"time"

	"mkt/internal/console/access"
	"mkt/internal/console/background"
	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/dataset"
	"mkt/internal/evidence/verify"
	"mkt/internal/terminal"
	"mkt/publish/snapshot"
)

//go:embed *.html
var Templates embed.FS

// Pages are the pages of the section.
type Pages struct {
	*choice.Reader
	Frame   *frame.Frame
	Running context.Context // until the console stops

	checks    checks
	comparing sync.Mutex // held during a comparison, which reads two snapshots
}

// auditBody is the content of the page with an account's evidence.
type auditBody struct {
	choice.Choice
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
		report, err := background.Guarded(func() (verify.Report, error) {
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

func (c *Pages) Audit(r *http.Request) (frame.View, error) {
	p, err := c.Pick(r, "/audit")
	if err != nil {
		return frame.View{}, err
	}
	body := auditBody{Choice: p}
	v := frame.View{Page: "audit", Section: "audit", Title: "Audit", Body: &body}
	if p.Account == "" {
		return v, nil
	}
	v.Title = "Audit of " + p.Account
	root, err := p.Dataset.Open()
	if err != nil {
		return v, err
	}
	defer root.Close()
	if body.Newest, _, err = snapshot.LastRecord(root); err != nil && !snapshot.IsFault(err) {
		return v, err
	}
	own, running := c.checks.of(p.Dataset)
	if body.Check = own; running != nil && running.Dataset != p.Dataset {
		body.Other = running
	}
	return v, nil
}

// BeginCheck starts a check, and returns to the page, which shows how far it is.
func (c *Pages) BeginCheck(w http.ResponseWriter, r *http.Request) {
	p, err := c.Pick(r, "/audit")
	if err == nil && !access.IsOwnRequest(r) { // it costs the machine, and no link of ours does it
		err = frame.BadRequest("A check is started on the page itself.")
	}
	if err != nil {
		c.Frame.Fail(w, r, err)
		return
	}
	c.checks.begin(p.Dataset, c.Now, func(progress func(done, total int)) (verify.Report, error) {
		return c.verify(p.Dataset, progress)
	})
	http.Redirect(w, r, "/audit/"+p.Account+"/"+string(p.Product), http.StatusSeeOther)
}

func (c *Pages) verify(d dataset.Dataset, progress func(done, total int)) (verify.Report, error) {
	root, err := d.Open()
	if err != nil {
		return verify.Report{}, err
	}
	defer root.Close()
	return verify.Run(c.Running, verify.Options{ClientID: d.Tenant, Product: d.Product, Root: root, Command: c.Frame.Command, Progress: progress})
}
