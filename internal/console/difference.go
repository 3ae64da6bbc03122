package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"mkt/internal/evidence/compare"
	"mkt/internal/evidence/document"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

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
