package markets_test

import (
	"fmt"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/provider/betsapi"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

func minter() *identity.Minter {
	var k identity.Key
	for i := range k {
		k[i] = byte(i + 1)
	}
	return identity.NewMinter(k, "betsapi")
}

func fixture(home, away string) football.Fixture {
	f := football.Fixture{Provider: "betsapi", ProviderFixtureID: "1"}
	if home != "" {
		f.Home = football.Of(home)
	}
	if away != "" {
		f.Away = football.Of(away)
	}
	return f
}

// rowOf makes a row of "field=text|field=text @price #id". A text without a
// field is a name. Price "-" is none, "null" is one without value, "1/2" is
// fractional, and "other:400" is 400 in a form that is neither decimal nor fractional.
func rowOf(s string) input.Row {
	var row input.Row
	if text, id, ok := strings.Cut(s, " #"); ok {
		s = text
		row.ID = football.Of(id)
	}
	text, price, ok := strings.Cut(s, " @")
	switch {
	case !ok:
		row.Decimal = football.Of("1.50")
	case price == "null":
		row.Decimal = football.NullField[string]()
	case strings.HasPrefix(price, "other:"):
		row.OtherPrice = football.Of(strings.TrimPrefix(price, "other:"))
	case strings.Contains(price, "/"):
		row.Fractional = football.Of(price)
	case price != "-":
		row.Decimal = football.Of(price)
	}
	for _, label := range strings.Split(text, "|") {
		field, text, ok := strings.Cut(label, "=")
		if !ok {
			field, text = "name", field
		}
		row.Labels = append(row.Labels, football.Label{Field: field, Text: text})
	}
	return row
}

func offerOf(claim *input.Reading, rows ...string) input.Offer {
	o := input.Offer{Key: "key", Name: football.Of("Name"), Sections: []string{"main"}, Reading: claim}
	if claim != nil {
		if claim.Dialect == nil {
			claim.Dialect = betsapi.Dialect()
		}
	}
	if claim == nil {
		o.RawReason = football.UnknownMarket
	} else if claim.Period == "" && claim.Condition != input.NeedsHalves {
		claim.Period = "FT"
	}
	for _, r := range rows {
		o.Rows = append(o.Rows, rowOf(r))
	}
	return o
}

// show writes markets as text: one line a market, one a selection.
func show(all []football.Market) string {
	var b strings.Builder
	for _, m := range all {
		switch m.Origin {
		case football.Mapped:
			fmt.Fprintf(&b, "%s %s", m.Canonical, m.Period)
		default:
			fmt.Fprintf(&b, "%s %s", m.Origin, m.RawReason)
		}
		if len(m.Lines) > 0 {
			fmt.Fprintf(&b, " lines %s", strings.Join(m.Lines, " "))
		}
		b.WriteString("\n")
		for i := range m.Selections {
			b.WriteString("  " + showSelection(&m.Selections[i]) + "\n")
		}
	}
	return b.String()
}

func showSelection(s *football.Selection) string {
	var b strings.Builder
	b.WriteString(s.Selection)
	for _, part := range []struct{ name, text string }{{"", s.Line}, {"q=", s.Qualifier}, {"of=", s.Subject}, {"and=", s.Subject2}} {
		if part.text != "" {
			b.WriteString(" " + part.name + part.text)
		}
	}
	if s.Grid != nil {
		fmt.Fprintf(&b, " [%s,%s]", s.Grid.Row, s.Grid.Column)
	}
	if s.Quality.Publishable {
		return b.String()
	}
	fmt.Fprintf(&b, " %s %v", s.Quality.Status, s.Quality.Reasons)
	return b.String()
}

func derive(home, away string, offers ...input.Offer) []football.Market {
	return markets.Derive(minter(), fixture(home, away), offers)
}
