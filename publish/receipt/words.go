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
		fmt.Fprintf(&b, "not publishable (%s). ", joined(s.Reasons))
	}
	fmt.Fprintf(&b, "It was read from %s at %s. Entry %d of the log %s", quoted(f.SourceProvider), c.entry.fetched, res.Index, res.Log)
	for i, w := range c.signers {
		b.WriteString(map[bool]string{true: ", witnessed by ", false: ", "}[i == 0])
		fmt.Fprintf(&b, "%s at %s", w.name, w.at.Format(time.RFC3339))
	}
	b.WriteString(". Not proven: that the provider sent this, that anybody read it, that nothing was withheld, or anything if the operator runs all the witnesses.")
	return b.String()
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
