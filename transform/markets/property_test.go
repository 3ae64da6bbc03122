package markets_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mkt/fetch/input"
	"mkt/fetch/provider/betsapi"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// words make up random rows: right ones, wrong ones, and right ones
// in the wrong place.
var rowWords = []string{"1", "2", "X", "Draw", "Tie", "Home", "Away", "Arsenal", "Leicester", "Arsenal FC", "Over", "Under", "Exactly", "Yes", "No",
	"2.5", "3.0", "+0.5", "-0.5", "0.0, -0.5", "2.0, 2.5", "2.3", "1-0", "0-0", "2-1", "1X", "Arsenal or Draw", "Arsenal - Draw", "Arsenal & Over 2.5",
	"Over 2.5 & Yes", "Tie - Leicester +1.0", "7+ Goals", "2 or 3 goals", "No Goal", "1st Half", "2nd Half", "Goal before 27:00", "A. Player", "No Goalscorer",
	"A. Player - Over", "A. Player to score first and Arsenal 1-0", "", " ", "(", "Odds", "\u00e9", "\xff"}

func genRow(t *rapid.T) input.Row {
	var row input.Row
	if rapid.Bool().Draw(t, "has id") {
		row.ID = football.Of(rapid.StringN(0, 3, -1).Draw(t, "id"))
	}
	row.Decimal = genField(t, []string{"1.90", "2.00", "34.00", "", "-", "0", "1e3"})
	row.Fractional = genField(t, []string{"9/2", "0/1", "x"})
	row.Suspended = rapid.IntRange(0, 9).Draw(t, "suspended") == 0
	if rapid.IntRange(0, 19).Draw(t, "trouble") == 0 {
		row.Trouble = football.UnresolvedQualifier
	}
	for range rapid.IntRange(0, 3).Draw(t, "labels") {
		field := rapid.SampledFrom([]string{"header", "name", "handicap", "team"}).Draw(t, "field")
		row.Labels = append(row.Labels, football.Label{Field: field, Text: rapid.SampledFrom(rowWords).Draw(t, "text")})
	}
	return row
}

func genField(t *rapid.T, values []string) football.Field[string] {
	switch rapid.IntRange(0, 5).Draw(t, "state") {
	case 0:
		return football.Field[string]{}
	case 1:
		return football.NullField[string]()
	}
	return football.Of(rapid.SampledFrom(values).Draw(t, "value"))
}

func genOffer(t *rapid.T) input.Offer {
	o := input.Offer{Key: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"), Name: genField(t, []string{"Name"}), Sections: []string{"main"}}
	for range rapid.IntRange(0, 2).Draw(t, "ids") {
		o.ProviderIDs = append(o.ProviderIDs, rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "provider id"))
	}
	slices.Sort(o.ProviderIDs)
	o.ProviderIDs = slices.Compact(o.ProviderIDs)
	if slices.Contains(o.ProviderIDs, "1") && rapid.Bool().Draw(t, "known id") {
		o.KnownID = "1"
	}
	if rapid.IntRange(0, 4).Draw(t, "mapped") > 0 {
		terms := football.Vocabulary()
		term := terms[rapid.IntRange(0, len(terms)-1).Draw(t, "term")]
		period := term.Periods[0]
		if period == football.Interval {
			period = "0-10"
		}
		o.Reading = &input.Reading{
			Dialect: betsapi.Dialect(), Market: term.Canonical, Period: period, Rank: rapid.IntRange(1, 3).Draw(t, "rank"),
			Subject: rapid.SampledFrom([]string{"", "HOME", "AWAY", "TEAM"}).Draw(t, "subject"), Parameter: rapid.SampledFrom([]string{"", "3", "FIRST"}).Draw(t, "parameter"),
			Shape:     input.Shape(rapid.IntRange(0, 31).Draw(t, "shape")),
			Condition: rapid.SampledFrom([]input.Condition{"", "", input.NeedsExactly, input.NeedsScoreDraw, input.NeedsBands, input.NeedsHalves, input.NeedsSentence, input.NeedsScorers, input.NeedsGoals}).Draw(t, "condition"),
		}
	}
	o.Rows = rapid.SliceOfN(rapid.Custom(genRow), 0, 6).Draw(t, "rows")
	return o
}

func genOffers(t *rapid.T) []input.Offer {
	return rapid.SliceOfN(rapid.Custom(genOffer), 1, 5).Draw(t, "offers")
}

var arsenal = fixture("Arsenal", "Leicester")

// Every row comes out in exactly one selection, with its own id, words and
// price, byte for byte.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offers := genOffers(t)
		var in, out []string
		for _, o := range offers {
			for _, r := range o.Rows {
				in = append(in, o.Key+" "+rowText(r.ID, r.Labels, r.Decimal, r.Fractional))
			}
		}
		for _, m := range markets.Derive(minter(), arsenal, offers) {
			if len(m.Selections) == 0 {
				t.Fatalf("market %s without selections", m.Key)
			}
			for _, s := range m.Selections {
				decimal, labels := s.Odds.Decimal(), s.Labels
				if n := len(labels); n > 0 && labels[n-1].Field == "decimal" { // no JSON number: kept as a label
					if decimal.State() != football.Null {
						t.Fatalf("decimal kept twice: %+v", s)
					}
					decimal, labels = football.Of(labels[n-1].Text), labels[:n-1]
				}
				out = append(out, m.Key+" "+rowText(s.ProviderSelectionID, labels, decimal, s.Odds.Fractional()))
			}
		}
		slices.Sort(in)
		slices.Sort(out)
		if !slices.Equal(in, out) {
			t.Fatalf("in:\n%s\nout:\n%s", strings.Join(in, "\n"), strings.Join(out, "\n"))
		}
	})
}

func rowText(id football.Field[string], labels []football.Label, decimal, fraction football.Field[string]) string {
	return fmt.Sprintf("%+v %q %+v %+v", id, labels, decimal, fraction)
}

// The promises about every result, whatever came in.
func TestInvariants(t *testing.T) {
	statuses := football.Statuses()
	reasons := football.QualityReasons()
	rapid.Check(t, func(t *rapid.T) {
		ids := map[football.MarketID]bool{}
		selections := map[football.SelectionID]bool{} // of all markets: one selection's history must not be another's
		for n, m := range markets.Derive(minter(), arsenal, genOffers(t)) {
			if ids[m.ID] {
				t.Fatalf("market id %s twice", m.ID)
			}
			ids[m.ID] = true
			if m.Ordinal != n {
				t.Fatalf("ordinal %d at %d", m.Ordinal, n)
			}
			mapped := m.Origin == football.Mapped
			if mapped != (m.Canonical != "" && m.Period != "" && m.RawReason == "") || !mapped && (m.Canonical+m.Period+m.Rule != "" || m.RawReason == "") {
				t.Fatalf("origin %s: %+v", m.Origin, m)
			}
			if mapped {
				if term, ok := football.Lookup(m.Canonical); !ok || !football.ValidPeriod(m.Period) || len(term.Selections) == 0 {
					t.Fatalf("%s %s is not in the vocabulary", m.Canonical, m.Period)
				}
			}
			for _, s := range m.Selections {
				if selections[s.ID] || len(s.ID) != identity.IDLength {
					t.Fatalf("selection id %q twice or misshapen in %s", s.ID, m.ID)
				}
				selections[s.ID] = true
				q := s.Quality
				if q.Publishable != (q.Status == football.StatusOK) || q.Publishable != (len(q.Reasons) == 0) || !slices.Contains(statuses, q.Status) {
					t.Fatalf("quality %+v", q)
				}
				if !slices.IsSorted(q.Reasons) || len(slices.Compact(slices.Clone(q.Reasons))) != len(q.Reasons) {
					t.Fatalf("reasons %v", q.Reasons)
				}
				for _, r := range q.Reasons {
					if !slices.Contains(reasons, r) {
						t.Fatalf("reason %s is not listed", r)
					}
				}
				if q.Publishable && (!mapped || s.Selection == "") {
					t.Fatalf("vouched for without ground: %+v", s)
				}
				if s.Grid != nil && !mapped {
					t.Fatal("a place in no table")
				}
			}
		}
	})
}

// The order of offers, and of rows within them, moves no id and changes nothing
// that is published. Rows that nothing but a price tells apart are not
// published; which of them bears which of their ids is the provider's order.
func TestOrderMovesNoID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offers := genOffers(t)
		other := rapid.Permutation(offers).Draw(t, "offers")
		for i := range other {
			if len(other[i].Rows) > 0 {
				other[i].Rows = rapid.Permutation(other[i].Rows).Draw(t, "rows")
			}
		}
		a, b := markets.Derive(minter(), arsenal, offers), markets.Derive(minter(), arsenal, other)
		for what, list := range map[string]func([]football.Market) []string{"ids": identities, "published": published} {
			if a, b := list(a), list(b); !slices.Equal(a, b) {
				t.Fatalf("%s:\n%s\n\n%s", what, strings.Join(a, "\n"), strings.Join(b, "\n"))
			}
		}
	})
}

// Whatever happens to the prices of rows, their ids stay.
func TestPricesMoveNoID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offers := genOffers(t)
		var before, after []string
		for _, m := range markets.Derive(minter(), arsenal, offers) {
			before = append(before, idsOf(&m))
		}
		for i := range offers {
			rows := slices.Clone(offers[i].Rows)
			if len(rows) == 0 {
				continue
			}
			for k, from := range rapid.Permutation(offers[i].Rows).Draw(t, "prices") {
				rows[k].Decimal, rows[k].Fractional, rows[k].Suspended = from.Decimal, from.Fractional, from.Suspended
			}
			offers[i].Rows = rows
		}
		for _, m := range markets.Derive(minter(), arsenal, offers) {
			after = append(after, idsOf(&m))
		}
		if !slices.Equal(before, after) {
			t.Fatalf("ids moved:\n%s\n\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	})
}

// idsOf are the ids of a market and of its selections, in order.
func idsOf(m *football.Market) string {
	ids := []string{string(m.ID)}
	for _, s := range m.Selections {
		ids = append(ids, string(s.ID))
	}
	return strings.Join(ids, " ")
}

// The meaning of a row in codes and words does not depend on the names of the
// teams: it may become doubtful, where a team is called like another result,
// and never the other side's.
func TestNamesSwapNoSide(t *testing.T) {
	names := []string{"1", "2", "X", "x", "Home", "Away", "Draw", "Tie", "Over", "Yes", "3", "2.5", "1-0", "12", "1X", "Z", "Arsenal"}
	words := []string{"1", "2", "X", "Draw", "Tie", "Home", "Away", "Over", "Under", "Yes", "No", "2.5", "+0.5", "-0.5", "1-0", "0-1", "2-1", "1X", "12", "X2", "1 or Draw",
		"1 - X", "2/1", "1 & Over 2.5", "Home & Yes", "3", "1 Only", "No Goal", "1st Half", "Ole Berg", "Ole Berg to score first and 1 1-0", "No Goalscorer (1)"}
	rapid.Check(t, func(t *rapid.T) {
		o := genOffer(t)
		for i := range o.Rows {
			for k := range o.Rows[i].Labels {
				o.Rows[i].Labels[k].Text = rapid.SampledFrom(words).Draw(t, "word")
			}
		}
		if r := o.Reading; r != nil {
			if term, _ := football.Lookup(r.Market); !strings.Contains(term.Subject, "TEAM") {
				r.Subject = "" // no table claims a side for a market of the match
			}
		}
		home, away := rapid.SampledFrom(names).Draw(t, "home"), rapid.SampledFrom(names).Draw(t, "away")
		said := make(map[string]string)
		for _, line := range meanings(markets.Derive(minter(), fixture("Neutral", "Neuter"), []input.Offer{o})) {
			said[line[0]] = line[1]
		}
		for _, line := range meanings(markets.Derive(minter(), fixture(home, away), []input.Offer{o})) {
			if was, ok := said[line[0]]; ok && was != line[1] {
				t.Fatalf("%s - %s: %s means %s, and %s elsewhere", home, away, line[0], line[1], was)
			}
		}
	})
}

// meanings lists the words and the meaning of all publishable selections.
func meanings(all []football.Market) (lines [][2]string) {
	for _, m := range all {
		for _, s := range m.Selections {
			if s.Quality.Publishable {
				lines = append(lines, [2]string{fmt.Sprintf("%q", s.Labels), fmt.Sprintf("%s %s %s %s %s %s %s", m.Canonical, m.Period, s.Selection, s.Line, s.Qualifier, s.Subject, s.Subject2)})
			}
		}
	}
	return lines
}

// Two rows that nothing but their prices tells apart keep their ids when the
// prices cross, and neither is vouched for.
func TestPricesCross(t *testing.T) {
	for _, c := range []struct {
		claim claim
		row   string
	}{
		{claim{Market: "TEAM_TO_SCORE", Subject: "TEAM", Condition: input.NeedsHalves}, "header=Yes|1st Half"},
		{claim{Market: "TOTAL_GOALS"}, "Over|2.5"},
		{claim{Market: "GOALSCORER_FIRST"}, "Ole Berg"},
	} {
		before := derive("Arsenal", "Leicester", offerOf(&c.claim, c.row+" @2.00", c.row+" @3.00"))[0]
		after := derive("Arsenal", "Leicester", offerOf(&c.claim, c.row+" @3.00", c.row+" @2.00"))[0]
		alike := derive("Arsenal", "Leicester", offerOf(&c.claim, c.row+" @2.00", c.row+" @2.00"))[0]
		if idsOf(&before) != idsOf(&after) || idsOf(&before) != idsOf(&alike) {
			t.Errorf("%s: ids %s, %s, %s", c.row, idsOf(&before), idsOf(&after), idsOf(&alike))
		}
		for _, s := range append(before.Selections, after.Selections...) {
			if s.Quality.Publishable {
				t.Errorf("%s: vouched for: %+v", c.row, s)
			}
		}
	}
}

// A row that shares its meaning with another has an id of its own content, not
// of its place among them.
func TestDoublesKeepTheirIDs(t *testing.T) {
	ids := func(rows ...string) map[string]football.SelectionID {
		found := make(map[string]football.SelectionID)
		for _, s := range derive("Arsenal", "Leicester", offerOf(&claim{Market: "TOTAL_GOALS"}, rows...))[0].Selections {
			found[s.ProviderSelectionID.Or("")] = s.ID
		}
		return found
	}
	three, two := ids("Over|2.5 #1", "Over|2.5 #2", "Over|2.5 #3"), ids("Over|2.5 #3", "Over|2.5 #1")
	if three["1"] != two["1"] || three["3"] != two["3"] {
		t.Errorf("three rows %v, two of them %v", three, two)
	}
}

// identities lists the content behind each id, prices left out.
func identities(all []football.Market) []string {
	var lines []string
	for _, m := range all {
		for _, s := range m.Selections {
			none := football.Field[string]{}
			lines = append(lines, fmt.Sprintf("%s %s %s %s %q %q | %s %s", m.ID, m.Key, m.Canonical, m.Period, s.Selection, s.Line,
				s.ID, rowText(s.ProviderSelectionID, withoutDecimal(s.Labels), none, none)))
		}
	}
	slices.Sort(lines)
	return lines
}

func withoutDecimal(labels []football.Label) []football.Label {
	if n := len(labels); n > 0 && labels[n-1].Field == "decimal" {
		return labels[:n-1]
	}
	return labels
}

// published lists the publishable selections, with their odds.
func published(all []football.Market) []string {
	vouched := slices.Clone(all)
	for i := range vouched {
		vouched[i].Selections = slices.DeleteFunc(slices.Clone(all[i].Selections), func(s football.Selection) bool { return !s.Quality.Publishable })
	}
	return contents(vouched)
}

// contents lists the content behind each market and selection id.
func contents(all []football.Market) []string {
	var lines []string
	for _, m := range all {
		for _, s := range m.Selections {
			lines = append(lines, fmt.Sprintf("%s %s %s %s %q %q %v | %s %s", m.ID, m.Key, m.Canonical, m.Period, s.Selection, s.Line, s.Quality.Reasons,
				s.ID, rowText(s.ProviderSelectionID, s.Labels, s.Odds.Decimal(), s.Odds.Fractional())))
		}
	}
	slices.SortFunc(lines, cmp.Compare)
	return lines
}

// A deriver's readings of a mapping table's entry for other fixtures change nothing,
// whatever the teams are called.
func TestRowsReadBeforeChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := markets.New(minter())
		entry := rapid.Custom(genOffer).Filter(func(o input.Offer) bool { return o.Reading != nil }).Draw(t, "entry")
		rows := rapid.SampledFrom(rapid.SliceOfN(rapid.Custom(genRow), 1, 5).Draw(t, "all rows"))
		name := rapid.SampledFrom([]string{"", "1", "2", "X", "Over", "Under", "Yes", "Draw", "Arsenal", "Leicester"})
		for range rapid.IntRange(2, 6).Draw(t, "fixtures") {
			f := fixture(name.Draw(t, "home"), name.Draw(t, "away"))
			o := entry
			o.Rows = rapid.SliceOfN(rows, 0, 6).Draw(t, "rows")
			kept, fresh := d.Derive(&f, []input.Offer{o}), markets.Derive(minter(), f, []input.Offer{o})
			if fmt.Sprint(contents(kept)) != fmt.Sprint(contents(fresh)) || show(kept) != show(fresh) {
				t.Fatalf("a deriver that has read others:\n%s\na new one:\n%s", show(kept), show(fresh))
			}
		}
	})
}

// A market's offers do not depend on which others are there.
func TestIdentitiesNeverSwap(t *testing.T) {
	first := offerOf(&claim{Market: "TOTAL_GOALS", Rank: 1}, "Over|2.5", "Under|2.5")
	first.Key, first.ProviderIDs, first.KnownID = "goals_over_under", []string{"981"}, "981"
	second := offerOf(&claim{Market: "TOTAL_GOALS", Rank: 2}, "Over|2.5 @3.00", "Under|2.5 @1.40")
	second.Key, second.ProviderIDs, second.KnownID = "alternative_total_goals", []string{"10202"}, "10202"
	strange := first
	strange.ProviderIDs, strange.KnownID = []string{"555"}, ""
	both := derive("Arsenal", "Leicester", first, second, strange)
	if got := derive("Arsenal", "Leicester", second); got[0].ID != both[1].ID {
		t.Errorf("rank two is %s beside rank one and %s alone", both[1].ID, got[0].ID)
	}
	if got := derive("Arsenal", "Leicester", strange); got[0].ID != both[2].ID {
		t.Errorf("the unknown id is %s beside the known one and %s alone", both[2].ID, got[0].ID)
	}
	if strings.Contains(string(both[0].ID), "~") || !strings.HasPrefix(string(both[1].ID), string(both[0].ID)+"~") || !strings.HasPrefix(string(both[2].ID), string(both[0].ID)+"~") {
		t.Errorf("ids %s %s %s", both[0].ID, both[1].ID, both[2].ID)
	}
	if both[0].Selections[0].ID == both[1].Selections[0].ID {
		t.Error("two markets share a selection id")
	}
}
