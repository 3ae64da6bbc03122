package cycles

import (
	"errors"
	"html/template"
	"net/http"
	"strings"

	"mkt/fetch/raw"
	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/inspect"
	"mkt/internal/schedule/cyclestate"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/snapshot"
)

// Limits of the page of a cycle.
const (
	maxRejected       = 20      // refused answers
	maxRejectedText   = 2 << 10 // of each
	maxFailedFixtures = 50
	maxAnswersEach    = 5 // of a failed fixture
)

// cycleBody is the content of the page of one cycle.
type cycleBody struct {
	choice.Choice
	inspect.Cycle
	First    template.HTML // the steps of the cycle
	Rest     template.HTML // its hashes and its counts
	Rejected []shownAnswer
	Refused  int // answers, of which Rejected are the first
	Failures []failedFixture
	Runs     []*health.Run // the steps whose newest run was of this cycle
	Before   uint64
}

func (c *Pages) Cycle(r *http.Request) (frame.View, error) {
	p, m, root, err := c.PickMoment(r)
	if err != nil {
		return frame.View{}, err
	}
	defer root.Close()
	body := cycleBody{Choice: p}
	if body.Cycle, err = cycleOf(root, p, m); err != nil {
		return frame.View{}, err
	}
	if body.Commit != nil {
		body.Before = body.Commit.Version - 1
	}
	for _, run := range cyclestate.NewestRuns(c.Data, p.Account, p.Product) {
		if run != nil && run.Cycle == string(body.CycleID) {
			body.Runs = append(body.Runs, run)
		}
	}
	if body.Raw != nil {
		archive, err := raw.Open(root, body.CycleID)
		if err != nil {
			return frame.View{}, err
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
		return frame.View{}, err
	}
	body.Rest, err = rest.HTML()
	return frame.View{Page: "cycle", Section: "cycles", Title: all.Title + " of " + p.Account, Body: &body}, err
}

// cycleOf is [inspect.Find] with an error for the reader.
func cycleOf(root durable.ReadFS, p choice.Choice, m snapshot.Moment) (inspect.Cycle, error) {
	cycle, err := inspect.Find(inspect.Place{ClientID: p.Account, Product: p.Product, Root: root}, m)
	if errors.Is(err, snapshot.ErrUnknown) {
		return cycle, frame.NotFound("%s of %s: %v.", m, p.Dataset, err)
	}
	return cycle, err
}

// rejectedOf returns the first refused answers of an archive.
func rejectedOf(archive *raw.Archive) (list []shownAnswer) {
	for _, answer := range archive.Responses() {
		if !answer.Accepted() && len(list) < maxRejected {
			list = append(list, shown(archive, answer, maxRejectedText))
		}
	}
	return list
}

// failedFixture is a fixture whose markets could not be fetched.
type failedFixture struct {
	ID      string // the provider's
	Answers []raw.Response
	More    int // answers left out of Answers
}

// failedOf returns the first failed fixtures, each with the answers to the requests for it.
func failedOf(archive *raw.Archive) (list []failedFixture) {
	failed := archive.Cycle().Failed
	at := map[string]int{}
	for i, id := range failed[:min(len(failed), maxFailedFixtures)] {
		at[id], list = i, append(list, failedFixture{ID: id})
	}
	for _, answer := range archive.Responses() {
		named := map[string]bool{}
		for _, part := range strings.Split(answer.Path, "/") {
			named[part] = true
		}
		for _, values := range answer.Query {
			for _, value := range values {
				for _, id := range strings.Split(value, ",") {
					named[id] = true
				}
			}
		}
		for id := range named {
			i, is := at[id]
			switch {
			case !is:
			case len(list[i].Answers) == maxAnswersEach:
				list[i].More++
			default:
				list[i].Answers = append(list[i].Answers, answer)
			}
		}
	}
	return list
}
