package audit

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/evidence/compare"
	"mkt/internal/evidence/document"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Difference shows what changed between two publications, as mkt diff --html does.
func (c *Pages) Difference(r *http.Request) (frame.View, error) {
	p, err := c.Pick(r, "/audit")
	if err != nil {
		return frame.View{}, err
	}
	report, err := c.compare(r, p)
	if err != nil {
		return frame.View{}, err
	}
	made, err := report.Document("")
	if err != nil {
		return frame.View{}, err
	}
	above := document.Link(fmt.Sprintf("/audit/%s/%s", p.Account, p.Product), fmt.Sprintf("Audit of %s, %s", p.Account, p.Product))
	b := &frame.Document{Account: p.Account, Above: []document.Span{above}}
	return b.View("audit", "What changed", made)
}

func (c *Pages) compare(r *http.Request, p choice.Choice) (*compare.Report, error) {
	root, err := p.Dataset.Open()
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
		return nil, &frame.Problem{Status: http.StatusServiceUnavailable, Title: "Busy", What: "Another comparison is under way. Try again in a moment."}
	}
	defer c.comparing.Unlock()
	report := compare.NewReport(o)
	sum, err := compare.Run(r.Context(), o, func(change compare.Change) error {
		report.Add(change)
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return nil, &frame.Problem{Status: http.StatusServiceUnavailable, Title: "Interrupted", What: "The comparison was interrupted."}
	}
	if err != nil {
		return nil, err
	}
	report.Finish(sum)
	return report, nil
}

// sideOf opens a publication. text is one of [snapshot.Forms].
func (c *Pages) sideOf(root durable.ReadFS, text string) (compare.Side, error) {
	m, err := snapshot.ParseMoment(text, c.Now())
	if err != nil {
		return compare.Side{}, frame.BadRequest("%v.", err)
	}
	commit, err := snapshot.Find(root, m)
	if err != nil {
		return compare.Side{}, frame.NotFound("%s: %v.", text, err)
	}
	side, err := compare.Open(root, commit)
	if errors.Is(err, compare.ErrNotKept) {
		return side, frame.NotFound("The snapshot of version %d is not kept any more, so that it cannot be compared.", commit.Version)
	}
	return side, err
}
