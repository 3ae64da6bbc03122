package history

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"mkt/publish/steps"
)

// The marks of steps.
const (
	MarkOpening = "opening"
	MarkOldest  = "oldest_shown" // the opening is not known
	MarkClosing = "last_before_kick_off"
	MarkCurrent = "current"
)

// Marks returns the notable properties of a step, such as [MarkOpening].
func (p *Path) Marks(step int) (marks []string) {
	switch {
	case step == 0 && p.FromStart:
		marks = append(marks, MarkOpening)
	case step == 0:
		marks = append(marks, MarkOldest)
	}
	if step == p.Closing {
		marks = append(marks, MarkClosing)
	}
	if step == len(p.Steps)-1 {
		marks = append(marks, MarkCurrent)
	}
	return marks
}

// Selected returns the series of one selection, or all if it is "".
func Selected(all []Series, selection string) []Series {
	if selection == "" {
		return all
	}
	for _, s := range all {
		if s.SelectionID == selection {
			return []Series{s}
		}
	}
	return nil
}

// Report is a path as JSON.
type Report struct {
	FixtureID string         `json:"fixture_id"`
	Home      *string        `json:"home"`
	Away      *string        `json:"away"`
	StartsAt  *time.Time     `json:"starts_at"`
	Changes   int            `json:"publications_that_changed_it"`
	FromStart bool           `json:"from_start"` // the first of them is the first that had the fixture
	Removed   bool           `json:"removed"`
	Prices    []ReportSeries `json:"prices"`
}

// ReportSeries is the path of one price.
type ReportSeries struct {
	MarketID    string        `json:"market_id"`
	Market      *string       `json:"market"`
	Period      *string       `json:"period"`
	SelectionID string        `json:"selection_id"`
	Selection   string        `json:"selection"`
	Opening     ReportJudged  `json:"opening"`
	Closing     ReportJudged  `json:"closing"` // the last one before kick-off
	Steps       []ReportPoint `json:"steps"`   // the notable ones, and any different from the step before
}

// ReportJudged is an opening or closing price and how sure it is, as the extension history of the API says it.
type ReportJudged struct {
	State       steps.State   `json:"state"`
	Reason      *steps.Reason `json:"reason"`
	Odds        *string       `json:"odds"` // null also without a price
	PublishedAt *time.Time    `json:"published_at"`
}

func reportJudged(j steps.Judged) ReportJudged {
	r := ReportJudged{State: j.State}
	if j.Reason != "" {
		r.Reason = &j.Reason
	}
	if j.Point != nil {
		r.PublishedAt = known(j.Point.PublishedAt.UTC())
		if p := pointOf(j.Point); p.HasPrice() {
			r.Odds = &p.Text
		}
	}
	return r
}

// ReportPoint is a price at a step.
type ReportPoint struct {
	Version     uint64     `json:"version"`
	CycleID     string     `json:"cycle_id"`
	FetchedAt   *time.Time `json:"provider_fetched_at"`
	ProcessedAt *time.Time `json:"processed_at"`
	PublishedAt time.Time  `json:"published_at"`
	State       Price      `json:"state"`
	Odds        *string    `json:"odds"` // the provider's own characters
	Reasons     []string   `json:"reasons"`
	Marks       []string   `json:"marks"`
}

// ReportOf returns the path of all prices, of those of a market, or of one selection.
func ReportOf(p *Path, market, selection string) Report {
	f := &p.Fixture
	r := Report{FixtureID: f.FixtureID, Home: f.Home, Away: f.Away, StartsAt: f.StartsAt, Changes: len(p.Steps), FromStart: p.FromStart, Removed: p.Removed,
		Prices: []ReportSeries{}}
	for i := range p.Markets {
		m := &p.Markets[i]
		if market != "" && m.MarketID != market {
			continue
		}
		for _, s := range Selected(m.Series, selection) {
			r.Prices = append(r.Prices, p.seriesReport(m, s))
		}
	}
	return r
}

func (p *Path) seriesReport(m *Market, s Series) ReportSeries {
	one := ReportSeries{MarketID: m.MarketID, Market: m.Market, Period: m.Period, SelectionID: s.SelectionID, Selection: s.Name, Opening: reportJudged(s.Opening), Closing: reportJudged(s.Closing)}
	for i := range p.Steps {
		step := &p.Steps[i]
		point, marks := s.Points[i], append([]string{}, p.Marks(i)...)
		if i > 0 && point.Same && len(marks) == 0 {
			continue
		}
		out := ReportPoint{Version: step.Version, CycleID: string(step.Cycle), PublishedAt: step.PublishedAt, State: point.State, Reasons: append([]string{}, point.Reasons...), Marks: marks,
			FetchedAt: known(step.FetchedAt), ProcessedAt: known(step.ProcessedAt)}
		if point.HasPrice() {
			out.Odds = &point.Text
		}
		one.Steps = append(one.Steps, out)
	}
	return one
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// WriteCSV writes the rows of [ReportOf], one line a step of a price.
func WriteCSV(w io.Writer, p *Path, market, selection string) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"fixture_id", "market_id", "market", "period", "selection_id", "selection", "version", "cycle_id",
		"provider_fetched_at", "processed_at", "published_at", "state", "odds", "reasons", "marks"})
	for _, s := range ReportOf(p, market, selection).Prices {
		for _, point := range s.Steps {
			_ = out.Write([]string{p.Fixture.FixtureID, s.MarketID, text(s.Market), text(s.Period), s.SelectionID, s.Selection, strconv.FormatUint(point.Version, 10), point.CycleID,
				stamp(point.FetchedAt), stamp(point.ProcessedAt), stamp(&point.PublishedAt), string(point.State), text(point.Odds), strings.Join(point.Reasons, "|"), strings.Join(point.Marks, "|")})
		}
	}
	out.Flush()
	return out.Error()
}

func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Sparkline draws a series in a line of text: a column is a part of the time, a space is a time
// without a price.
func (s *Series) Sparkline(p *Path, width int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	least, most := 0.0, 0.0
	for _, point := range s.Points {
		if n := point.Number; n > 0 {
			if least == 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
	}
	from := p.Steps[0].PublishedAt
	span := max(time.Second, p.Until.Sub(from))
	var out strings.Builder
	at := 0
	for column := range width {
		end := from.Add(span * time.Duration(column+1) / time.Duration(width))
		for at+1 < len(p.Steps) && !p.Steps[at+1].PublishedAt.After(end) {
			at++
		}
		switch n := s.Points[at].Number; {
		case n <= 0:
			out.WriteByte(' ')
		case least == most:
			out.WriteRune(levels[3])
		default:
			out.WriteRune(levels[int((n-least)/(most-least)*float64(len(levels)-1)+.5)])
		}
	}
	return out.String()
}
