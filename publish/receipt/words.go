package receipt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/publish/table"
)

// words returns the claim of a receipt whose parts have been checked. Both this and the format's page must
// give the same text.
func (c *checker) words() string {
	var b strings.Builder
	if len(c.signers) == 0 {
		b.WriteString("WITNESSED BY NOBODY: only the operator's word stands for its time, and for there being one history. ")
	}
	fmt.Fprintf(&b, "In publication %d of dataset %s, published %s by the operator's clock, ", c.result.Version, c.result.Dataset, c.result.Published)
	provider := c.result.Fixture.SourceProvider
	if rows := c.result.Live; rows != nil {
		provider = rows.Fixture.SourceProvider
		writeMatch(&b, rows)
	} else {
		c.result.writePrice(&b)
	}
	fmt.Fprintf(&b, "It was read from %s at %s. Entry %d of the log %s", quoted(provider), c.entry.fetched, c.result.Index, c.result.Log)
	for i, w := range c.signers {
		b.WriteString(map[bool]string{true: ", with signatures in the name of ", false: ", "}[i == 0])
		fmt.Fprintf(&b, "%s at %s", w.name, w.at.Format(time.RFC3339))
	}
	if len(c.signers) > 0 {
		b.WriteString(", which a check against a policy verifies")
	}
	b.WriteString(". Not proven: that the provider sent this, that anybody read it, that nothing was withheld, or anything if the operator runs all the witnesses.")
	return b.String()
}

func (res *Result) writePrice(b *strings.Builder) {
	f, m, s := &res.Fixture, &res.Market, &res.Selection
	fmt.Fprintf(b, "selection %s (%s; line %s; qualifier %s) of market %s (%s; %s; period %s) ", s.SelectionID, or(s.Selection, "unnamed"), or(s.Line, "none"),
		or(s.Qualifier, "none"), m.MarketID, or(m.Market, "RAW"), stated(m.MarketName, m.Absent, "market_name"), or(m.Period, "none"))
	fmt.Fprintf(b, "of fixture %s (%s - %s; kick-off %s) ", f.FixtureID, stated(f.Home, f.Absent, "home"), stated(f.Away, f.Absent, "away"), kickOff(f.StartsAt, f.Absent))
	fmt.Fprintf(b, "had the decimal price %s and the fractional price %s, ", stated(s.OddsDecimalText, s.Absent, "odds_decimal"), stated(s.OddsFractional, s.Absent, "odds_fractional"))
	if s.Publishable {
		b.WriteString("publishable. ")
	} else {
		fmt.Fprintf(b, "not publishable (%s). ", joined(s.Reasons))
	}
}

func writeMatch(b *strings.Builder, rows *table.LiveRows) {
	f := &rows.Fixture
	number := func(n *int32, name string) string {
		if n == nil {
			return stated(nil, f.Absent, name)
		}
		return strconv.Itoa(int(*n))
	}
	running, play, momentum := stated(nil, f.Absent, "clock_running"), "in play", "unavailable ("+or(f.UnavailableReason, "none")+")"
	if f.ClockRunning != nil {
		running = map[bool]string{true: "running", false: "stopped"}[*f.ClockRunning]
	}
	if !f.InPlay {
		play = "not in play"
	}
	if f.MomentumHome != nil && f.MomentumAway != nil {
		momentum = fmt.Sprintf("%d - %d", *f.MomentumHome, *f.MomentumAway)
	}
	fmt.Fprintf(b, "fixture %s (%s - %s; league %s; kick-off %s) ", f.FixtureID, stated(f.Home, f.Absent, "home"), stated(f.Away, f.Absent, "away"),
		stated(f.League, f.Absent, "league"), kickOff(f.StartsAt, f.Absent))
	fmt.Fprintf(b, "had the score %s - %s in minute %s, second %s ", number(f.ScoreHome, "score_home"), number(f.ScoreAway, "score_away"),
		number(f.ClockMinute, "clock_minute"), number(f.ClockSecond, "clock_second"))
	fmt.Fprintf(b, "(period %s; stoppage time %s; clock %s) and was %s, as seen at %s. Its momentum was %s. ", or(f.ClockPeriod, "unknown"),
		number(f.ClockAdded, "clock_added"), running, play, f.At.UTC().Format(milliseconds), momentum)
	fmt.Fprintf(b, "The receipt has %d counters, %d entries of the timeline, %d minutes and %d halves of it. ", len(rows.Counters), len(rows.Timeline), len(rows.Buckets), len(rows.Periods))
}

// milliseconds is the form of times of rows.
const milliseconds = "2006-01-02T15:04:05.000Z"

func kickOff(at *time.Time, absent []string) string {
	if at == nil {
		return stated(nil, absent, "starts_at")
	}
	return at.UTC().Format(milliseconds)
}

// or returns a text of a row as a JSON string, so that no text can look like the words around it.
func or(text *string, none string) string {
	if text == nil {
		return none
	}
	return quoted(*text)
}

func joined(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = quoted(text)
	}
	return strings.Join(all, ", ")
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
