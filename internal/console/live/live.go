// Package live has the pages of the matches in play of an account, and of one of them.
package live

import (
	"cmp"
	"embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mkt/internal/console/background"
	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/console/inplay"
	"mkt/internal/console/matchpage"
	"mkt/internal/console/receipts"
	"mkt/internal/dataset"
	"mkt/internal/evidence/find"
	"mkt/publish/football"
	"mkt/publish/table"
)

//go:embed *.html
var Templates embed.FS

// Pages are the pages of the section.
type Pages struct {
	*choice.Reader
	log    receipts.Log
	traces *background.Reader[traceKey, inplay.Trace]
}

// New returns the pages.
func New(reader *choice.Reader, log receipts.Log) *Pages {
	return &Pages{Reader: reader, log: log, traces: background.New[traceKey, inplay.Trace](tracesKept)}
}

// liveBody is the content of the page of an account's matches in play.
type liveBody struct {
	choice.Choice
	InPlay, Over []liveLine
	Stale        int
	Version      uint64
}

// liveLine is a match in one line.
type liveLine struct {
	*table.LiveRow
	Account  string
	Teams    string
	Clock    string
	Momentum bool // whether there is a momentum of the present
	Pressing string
	State    string
	Stale    bool
	Age      time.Duration
}

func (c *Pages) Live(r *http.Request) (frame.View, error) {
	p, err := c.PickOf(r, "/live", dataset.Filter{Product: string(football.LiveIntelligence)})
	body := liveBody{Choice: p}
	v := frame.View{Page: "live", Section: "live", Title: "Live", Body: &body}
	if err != nil || p.Account == "" {
		return v, err
	}
	v.Title = "Live, " + p.Account
	root, err := p.Dataset.Open()
	if err != nil {
		return v, err
	}
	defer root.Close()
	s, err := inplay.Read(root)
	if err != nil || s == nil {
		return v, err
	}
	body.Version = s.Commit.Version
	body.read(s, c.Now(), frame.StarsOf(r))
	v.Title = fmt.Sprintf("%d in play, %s", len(body.InPlay), p.Account)
	return v, nil
}

func (b *liveBody) read(s *inplay.Snapshot, now time.Time, stars frame.Stars) {
	for i := range s.Rows {
		r := &s.Rows[i]
		l := liveLine{LiveRow: r, Account: b.Account, Teams: find.Name(r.Home, r.Away), Clock: matchpage.Minute(r), Pressing: matchpage.Pressing(r), State: matchpage.State(r, now),
			Stale: matchpage.IsStale(r, now), Age: max(0, now.Sub(r.FreshAt))}
		l.Momentum = r.MomentumHome != nil && r.MomentumAway != nil && !l.Stale
		switch {
		case !l.InPlay:
			b.Over = append(b.Over, l)
			continue
		case l.Stale:
			b.Stale++
		}
		b.InPlay = append(b.InPlay, l)
	}
	for _, lines := range [][]liveLine{b.InPlay, b.Over} {
		slices.SortFunc(lines, func(a, b liveLine) int {
			return cmp.Or(cmp.Compare(stars.Place(a.FixtureID, a.League), stars.Place(b.FixtureID, b.League)), frame.CompareKnown(a.League, b.League, strings.Compare),
				frame.CompareKnown(a.Home, b.Home, strings.Compare), strings.Compare(a.FixtureID, b.FixtureID))
		})
	}
}
