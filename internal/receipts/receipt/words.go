package receipt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/internal/receipts/transparency"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// Parts of claims.
const (
	operatorAlone = ", so that only the operator's word stands for its time, and for there being one history"
	notProven     = "not proven: that the provider sent this, that anybody read it, that nothing was withheld, or anything if the operator runs all the witnesses"
)

// claim returns the claim of a receipt whose parts have been checked, line by line. Both this and the format's page
// must give the same text. Every text from outside is in it as a JSON string, so that none can look like the words
// around it.
func (c *checker) claim() []string {
	provider := c.result.Fixture.SourceProvider
	var first, match, third string
	if rows := c.result.Live; rows != nil {
		f := &rows.Fixture
		provider, match = f.SourceProvider, matchLine(f.FixtureID, f.Home, f.Away, f.League, f.StartsAt, f.Absent)
		first, third = scoreLine(f), momentumLine(rows)
	} else {
		f, m, s := &c.result.Fixture, &c.result.Market, &c.result.Selection
		first, match = priceLine(s), matchLine(f.FixtureID, f.Home, f.Away, f.League, f.StartsAt, f.Absent)
		third = fmt.Sprintf("market: %s (%s, period %s), %s", or(m.Market, "RAW"), stated(m.MarketName, m.Absent, "market_name"), or(m.Period, "none"), quoted(m.MarketID))
	}
	published := fmt.Sprintf("published: %s by the operator's clock, as publication %d of dataset %s; read from %s at %s; entry %d of the log %s",
		c.result.Published, c.result.Version, c.result.Dataset, quoted(provider), c.entry.fetched, c.result.Index, quoted(c.result.Log))
	witnessed := "witnessed: by nobody" + operatorAlone
	if len(c.signers) > 0 {
		all := make([]string, len(c.signers))
		for i, s := range c.signers {
			all[i] = quoted(s.name) + " at " + s.at.Format(time.RFC3339)
		}
		witnessed = "witnessed: in the name of " + strings.Join(all, ", ") + "; only a check against a policy verifies that"
	}
	return []string{first, match, third, published, witnessed, notProven}
}

// witnessedLine is the number of the line that a check replaces.
const witnessedLine = 4

// says returns the claim with the witnesses as they were checked.
func (res *Result) says(claim []string, p *transparency.Policy) string {
	all := make([]string, len(res.Witnesses))
	for i, w := range res.Witnesses {
		all[i] = quoted(w.Witness) + " at " + w.At.Format(time.RFC3339)
	}
	by, checked := strings.Join(all, ", "), slices.Clone(claim)
	switch {
	case by == "":
		by = "nobody that the policy knows" + operatorAlone
	case !p.Demands():
		by += "; the policy demands nobody (quorum none), so that no time is proven"
	case res.NotAfter == nil:
		by += "; that is not enough for the policy"
	default:
		by += "; published not after " + res.NotAfter.Format(time.RFC3339)
		if res.NotBefore == nil {
			by += "; how long before is not proven"
		} else {
			by += ", logged not before " + res.NotBefore.Format(time.RFC3339)
		}
	}
	checked[witnessedLine] = "witnessed: by " + by
	return strings.Join(checked, "\n")
}

func priceLine(s *table.SelectionRow) string {
	publishable := "publishable"
	if !s.Publishable {
		publishable = "not publishable (" + joined(s.Reasons, ", ") + ")"
	}
	return fmt.Sprintf("price: decimal %s, fractional %s, %s; %s (line %s, qualifier %s), %s", stated(s.OddsDecimalText, s.Absent, "odds_decimal"),
		stated(s.OddsFractional, s.Absent, "odds_fractional"), publishable, or(s.Selection, "unnamed"), or(s.Line, "none"), or(s.Qualifier, "none"), quoted(s.SelectionID))
}

func matchLine(id string, home, away, league *string, startsAt *time.Time, absent []string) string {
	kickOff := stated(nil, absent, "starts_at")
	if startsAt != nil {
		kickOff = startsAt.UTC().Format(milliseconds)
	}
	return fmt.Sprintf("match: %s - %s, league %s, kick-off %s, %s", stated(home, absent, "home"), stated(away, absent, "away"), stated(league, absent, "league"), kickOff, quoted(id))
}

func scoreLine(f *table.LiveRow) string {
	number := func(n *int32, name string) string {
		if n == nil {
			return stated(nil, f.Absent, name)
		}
		return strconv.Itoa(int(*n))
	}
	running, play := stated(nil, f.Absent, "clock_running"), "in play"
	if f.ClockRunning != nil {
		running = map[bool]string{true: "running", false: "stopped"}[*f.ClockRunning]
	}
	if !f.InPlay {
		play = "not in play"
	}
	return fmt.Sprintf("score: %s - %s in minute %s, second %s (period %s, stoppage time %s, clock %s), %s, as seen at %s", number(f.ScoreHome, "score_home"),
		number(f.ScoreAway, "score_away"), number(f.ClockMinute, "clock_minute"), number(f.ClockSecond, "clock_second"), or(f.ClockPeriod, "unknown"),
		number(f.ClockAdded, "clock_added"), running, play, f.At.UTC().Format(milliseconds))
}

func momentumLine(rows *content.LiveRows) string {
	f := &rows.Fixture
	momentum := "unavailable (" + or(f.UnavailableReason, "none") + ")"
	if f.MomentumHome != nil && f.MomentumAway != nil {
		momentum = fmt.Sprintf("%d - %d", *f.MomentumHome, *f.MomentumAway)
	}
	withdrawn := ""
	if n := len(f.Withdrawn); n > 0 {
		withdrawn = fmt.Sprintf("; withdrawn entries: %d", n)
	}
	return fmt.Sprintf("momentum: %s; with %d counters, %d entries of the timeline, %d minutes and %d halves%s", momentum,
		len(rows.Counters), len(rows.Timeline), len(rows.Buckets), len(rows.Periods), withdrawn)
}

// milliseconds is the form of times of rows.
const milliseconds = "2006-01-02T15:04:05.000Z"

// or returns a text of a row as a JSON string, so that no text can look like the words around it.
func or(text *string, none string) string {
	if text == nil {
		return none
	}
	return quoted(*text)
}

func joined(texts []string, between string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = quoted(text)
	}
	return strings.Join(all, between)
}

// stated returns a column of the provider in its three states.
func stated(text *string, absent []string, name string) string {
	switch {
	case text != nil:
		return quoted(*text)
	case slices.Contains(absent, name):
		return "not sent"
	}
	return "null"
}
