// Package audit has the pages that verify what was published, and compare two publications.
package audit

import (
	"context"
	"embed"
	"html/template"
	"math"
	"net/http"
	"strconv"
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

	begun     sync.Map // how often a check of a dataset was begun
	checks    *background.Reader[dataset.Dataset, check]
	comparing sync.Mutex // held during a comparison, which reads two snapshots
}

// New returns the pages. A check goes on until it is done, or running is.
func New(reader *choice.Reader, f *frame.Frame, running context.Context) *Pages {
	return &Pages{Reader: reader, Frame: f, Running: running, checks: background.New[dataset.Dataset, check](math.MaxInt)}
}

// auditBody is the content of the page with an account's evidence.
type auditBody struct {
	choice.Choice
	Newest uint64
	Check  *background.Reading[check] // nil if there was none
}

// check is a verification.
type check struct {
	Began   time.Time
	Took    time.Duration
	Report  verify.Report
	Problem string // why it could not be done
}

// Document returns the verdict as mkt verify prints it.
func (c check) Document() (template.HTML, error) { return c.Report.Document().HTML() }

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
	if n, ok := c.begun.Load(p.Dataset); ok {
		reading := c.check(r.Context(), p.Dataset, n.(int))
		body.Check = &reading
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
	n := 0
	if begun, ok := c.begun.Load(p.Dataset); ok {
		n = begun.(int)
	}
	if n == 0 || c.check(r.Context(), p.Dataset, n).Running == nil {
		c.begun.Store(p.Dataset, n+1)
		c.check(r.Context(), p.Dataset, n+1)
	}
	http.Redirect(w, r, "/audit/"+p.Account+"/"+string(p.Product), http.StatusSeeOther)
}

// check returns the newest check of a dataset, and does the one of a number if it was not done yet. One is done
// at a time: it reads every byte.
func (c *Pages) check(ctx context.Context, d dataset.Dataset, number int) background.Reading[check] {
	return c.checks.Get(ctx, d, strconv.Itoa(number), c.Now(), func(_ check, progress func(done, total int)) (check, error) {
		began := c.Now()
		report, err := background.Guarded(func() (verify.Report, error) { return c.verify(d, progress) })
		return check{began, c.Now().Sub(began), report, terminal.Message(err)}, nil // it is done again if somebody asks for it
	})
}

func (c *Pages) verify(d dataset.Dataset, progress func(done, total int)) (verify.Report, error) {
	root, err := d.Open()
	if err != nil {
		return verify.Report{}, err
	}
	defer root.Close()
	return verify.Run(c.Running, verify.Options{ClientID: d.Tenant, Product: d.Product, Root: root, Command: c.Frame.Command, Progress: progress})
}
