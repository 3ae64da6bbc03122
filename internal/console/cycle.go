package console

import (
	"html/template"
	"net/http"

	"mkt/fetch/raw"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/inspect"
	"mkt/publish/health"
)

// cycleBody is the content of the page of one cycle.
type cycleBody struct {
	picker
	inspect.Cycle
	First    template.HTML // the steps of the cycle
	Rest     template.HTML // its hashes and its counts
	Rejected []shownAnswer
	Refused  int // answers, of which Rejected are the first
	Failures []failedFixture
	Runs     []*health.Run // the steps whose newest run was of this cycle
	Before   uint64
}

func (c *Console) cycle(r *http.Request) (view, error) {
	p, m, root, err := c.momentOf(r)
	if err != nil {
		return view{}, err
	}
	defer root.Close()
	body := cycleBody{picker: p}
	if body.Cycle, err = cycleOf(root, p, m); err != nil {
		return view{}, err
	}
	if body.Commit != nil {
		body.Before = body.Commit.Version - 1
	}
	for _, run := range c.newestRuns(p.Account, p.Product) {
		if run != nil && run.Cycle == string(body.CycleID) {
			body.Runs = append(body.Runs, run)
		}
	}
	if body.Raw != nil {
		archive, err := raw.Open(root, body.CycleID)
		if err != nil {
			return view{}, err
		}
		body.Rejected, body.Failures = rejectedOf(archive), failedOf(archive)
		for _, n := range body.Raw.Rejected {
			body.Refused += n
		}
	}
	all := body.Cycle.Document(false)
	steps, rest := *all, document.Document{Sections: all.Sections[1:]}
	steps.Sections = all.Sections[:1]
	if body.First, err = steps.HTML(); err != nil {
		return view{}, err
	}
	body.Rest, err = rest.HTML()
	return view{Page: "cycle", Section: "cycles", Title: all.Title + " of " + p.Account, Body: &body}, err
}
