// Package cycles has the pages of the cycles of an account: each with its steps, its archived answers,
// and how they were mapped.
package cycles

import (
	"embed"
	"net/http"
	"strconv"
	"time"

	"mkt/internal/console/background"
	"mkt/internal/console/choice"
	"mkt/internal/console/fixtures"
	"mkt/internal/console/frame"
	"mkt/internal/evidence/inspect"
	"mkt/internal/evidence/suspicions"
	"mkt/internal/schedule/cyclestate"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/snapshot"
)

//go:embed *.html
var Templates embed.FS

// Pages are the pages of the section.
type Pages struct {
	*choice.Reader
	lists    *fixtures.Lists
	lines    cycleLines
	mappings mappings
}

// New returns the pages.
func New(reader *choice.Reader, lists *fixtures.Lists) *Pages {
	return &Pages{Reader: reader, lists: lists, mappings: mappings{background.New[mappingKey, suspicions.Cycle](mappingsKept)}}
}

// cyclesBody is the content of the page of an account's cycles.
type cyclesBody struct {
	choice.Choice
	Steps []*health.Run // the newest run of each step
	Lines []cycleLine
	inspect.Unpublished
	Suspicions []suspicions.Change
	Newest     uint64
	Older      uint64 // the first version of the next page; 0 if there is none
	Scale      time.Duration
}

func (c *Pages) Cycles(r *http.Request) (frame.View, error) {
	p, err := c.Pick(r, "/cycles")
	if err != nil {
		return frame.View{}, err
	}
	body := cyclesBody{Choice: p}
	v := frame.View{Page: "cycles", Section: "cycles", Title: "Cycles", Body: &body}
	if p.Account == "" {
		return v, nil
	}
	v.Title = "Cycles of " + p.Account
	root, err := p.Dataset.Open()
	if err != nil {
		return v, err
	}
	defer root.Close()
	for _, run := range cyclestate.NewestRuns(c.Data, p.Account, p.Product) {
		if run != nil {
			body.Steps = append(body.Steps, run)
		}
	}
	from, _, err := snapshot.LastRecord(root)
	if err != nil && !snapshot.IsFault(err) {
		return v, err
	}
	body.Newest = from
	if text := r.URL.Query().Get("from"); text != "" {
		if from, err = strconv.ParseUint(text, 10, 64); err != nil || from > body.Newest {
			return v, frame.BadRequest("from=%s: want the number of a version, at most %d.", text, body.Newest)
		}
	}
	if err := body.read(root, from, &c.lines); err != nil {
		return v, err
	}
	publications := make([]inspect.Publication, len(body.Lines))
	for i, l := range body.Lines {
		publications[i] = l.Publication
	}
	body.Suspicions = suspicions.Changes(publications)
	body.Unpublished, err = inspect.UnpublishedBetween(root, publications, from == body.Newest, body.Older == 0)
	return v, err
}

// read reads a page of publications, the newest first.
func (b *cyclesBody) read(root durable.ReadFS, from uint64, kept *cycleLines) error {
	for c, err := range snapshot.Backward(root, snapshot.Commit{Version: from}) {
		if len(b.Lines) == cyclesShown {
			b.Older = c.Version
			break
		}
		switch {
		case snapshot.IsFault(err), snapshot.IsDamage(err):
			b.Lines = append(b.Lines, cycleLine{Publication: inspect.Publication{Version: c.Version, Damage: err.Error()}})
		case err != nil:
			return err
		default:
			b.Lines = append(b.Lines, kept.line(root, c))
		}
	}
	for _, l := range b.Lines {
		b.Scale = max(b.Scale, l.Took)
	}
	for i := range b.Lines {
		b.Lines[i].draw(b.Scale)
	}
	return nil
}
