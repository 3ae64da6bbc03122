package receipt

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// words returns the claim of a receipt whose parts have been checked. Both this and the format's page must
// give the same text.
func (c *checker) words() string {
	res := &c.result
	f, m, s := &res.Fixture, &res.Market, &res.Selection
	var b strings.Builder
	if len(c.signers) == 0 {
		b.WriteString("WITNESSED BY NOBODY: only the operator's word stands for its time, and for there being one history. ")
	}
	fmt.Fprintf(&b, "In publication %d of dataset %s, published %s by the operator's clock, ", res.Version, res.Dataset, res.Published)
	fmt.Fprintf(&b, "selection %s (%s; line %s; qualifier %s) of market %s (%s; %s; period %s) ", s.SelectionID, or(s.Selection, "unnamed"), or(s.Line, "none"),
		or(s.Qualifier, "none"), m.MarketID, or(m.Market, "RAW"), stated(m.MarketName, m.Absent, "market_name"), or(m.Period, "none"))
	kickOff := stated(nil, f.Absent, "starts_at")
	if f.StartsAt != nil {
		kickOff = f.StartsAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	fmt.Fprintf(&b, "of fixture %s (%s - %s; kick-off %s) ", f.FixtureID, stated(f.Home, f.Absent, "home"), stated(f.Away, f.Absent, "away"), kickOff)
	fmt.Fprintf(&b, "had the decimal price %s and the fractional price %s, ", stated(s.OddsDecimalText, s.Absent, "odds_decimal"), stated(s.OddsFractional, s.Absent, "odds_fractional"))
	if s.Publishable {
		b.WriteString("publishable. ")
	} else {
		fmt.Fprintf(&b, "not publishable (%s). ", strings.Join(s.Reasons, ", "))
	}
	fmt.Fprintf(&b, "It was read from %s at %s. Entry %d of the log %s", f.SourceProvider, c.entry.fetched, res.Index, res.Log)
	for i, w := range c.signers {
		b.WriteString(map[bool]string{true: ", witnessed by ", false: ", "}[i == 0])
		fmt.Fprintf(&b, "%s at %s", w.name, w.at.Format(time.RFC3339))
	}
	b.WriteString(". Not proven: that the provider sent this, that anybody read it, that nothing was withheld, or anything if the operator runs all the witnesses.")
	return b.String()
}

func or(text *string, none string) string {
	if text == nil {
		return none
	}
	return *text
}

// stated returns a column of the provider in its three states.
func stated(text *string, absent []string, name string) string {
	switch {
	case text != nil:
		return *text
	case slices.Contains(absent, name):
		return "not sent"
	}
	return "null"
}
