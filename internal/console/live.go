package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"mkt/internal/console/inplay"
	"mkt/internal/console/matchpage"
	"mkt/internal/dataset"
	"mkt/publish/football"
	"mkt/publish/table"
)

// liveBody is the content of the page of an account's matches in play.
type liveBody struct {
	picker
	InPlay, Over []liveLine
	Stale        int
	Version      uint64
}

// liveLines are matches of an account.
type liveLines struct {
	Account string
	Lines   []liveLine
}

// LinesInPlay returns the matches in play, and LinesOver the others.
func (b *liveBody) LinesInPlay() liveLines { return liveLines{b.Account, b.InPlay} }
func (b *liveBody) LinesOver() liveLines   { return liveLines{b.Account, b.Over} }

// liveLine is a match in one line.
type liveLine struct {
	*table.LiveRow
	Clock    string
	Momentum bool // whether there is a momentum of the present
	Pressing string
	State    string
	Stale    bool
	Age      time.Duration
}

func (c *Console) live(r *http.Request) (view, error) {
	p, err := c.pickOf(r, "/live", dataset.Filter{Product: string(football.LiveIntelligence)})
	body := liveBody{picker: p}
	v := view{Page: "live", Section: "live", Title: "Live", Body: &body}
	if err != nil || p.Account == "" {
		return v, err
	}
	v.Title = "Live, " + p.Account
	root, err := p.dataset.Open()
	if err != nil {
		return v, err
	}
	defer root.Close()
	s, err := inplay.Read(root)
	if err != nil || s == nil {
		return v, err
	}
	body.Version = s.Commit.Version
	body.read(s, c.Now())
	return v, nil
}

func (b *liveBody) read(s *inplay.Snapshot, now time.Time) {
	for i := range s.Rows {
		l := liveLineOf(&s.Rows[i], now)
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
			return cmp.Or(compareKnown(a.League, b.League, strings.Compare), compareKnown(a.Home, b.Home, strings.Compare), strings.Compare(a.FixtureID, b.FixtureID))
		})
	}
}

func liveLineOf(r *table.LiveRow, now time.Time) liveLine {
	l := liveLine{LiveRow: r, Clock: matchpage.Minute(r), Pressing: matchpage.Pressing(r), State: matchpage.State(r, now),
		Stale: matchpage.IsStale(r, now), Age: max(0, now.Sub(r.FreshAt))}
	l.Momentum = r.MomentumHome != nil && r.MomentumAway != nil && !l.Stale
	return l
}
