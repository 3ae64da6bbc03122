package identity_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/transform/identity"
)

var update = flag.Bool("update", false, "write the goldens again")

// TestGolden pins the ids for ever: a difference here means that every fixture, market
// and selection of every client gets another id.
func TestGolden(t *testing.T) {
	m := identity.NewMinter(testKey(), "betsapi")
	fx := m.Fixture("92410137")
	mk := m.Market(fx, identity.Definition{Canonical: "TOTAL_GOALS", Period: "FT"})
	team := m.Market(fx, identity.Definition{Canonical: "TEAM_TOTAL_GOALS", Period: "FT", Subject: "HOME"})
	race := m.Market(fx, identity.Definition{Canonical: "CORNERS_RACE", Period: "FT", Parameter: "3"})
	other := m.Other(mk, "goal_line", "")
	raw := m.RawMarket(fx, "specials", "10224")
	var b strings.Builder
	for _, line := range []struct{ what, id string }{
		{"key", testKey().Fingerprint()},
		{"fixture", string(fx.FixtureID())},
		{"market", string(mk.MarketID())},
		{"market of a team", string(team.MarketID())},
		{"market with a parameter", string(race.MarketID())},
		{"market of another rank", string(mk.MarketID()) + "~" + m.Suffix("goal_line", "")},
		{"market of another id", string(mk.MarketID()) + "~" + m.Suffix("goal_line", "10143")},
		{"raw market", string(raw.MarketID())},
		{"selection", string(m.Selection(&mk, &identity.Meaning{Selection: "OVER", Line: "2.5"}).SelectionID())},
		{"selection of another rank", string(m.Selection(&other, &identity.Meaning{Selection: "OVER", Line: "2.5"}).SelectionID())},
		{"selection about somebody", string(m.Selection(&mk, &identity.Meaning{Selection: "OVER", Line: "0.5", Qualifier: "q", Subject: "Ødegaard", Subject2: "AWAY"}).SelectionID())},
		{"row", string(m.Row(&raw, "1490203901").SelectionID())},
		{"labels", string(m.Labels(&raw, []football.Label{{Field: "header", Text: "1"}, {Field: "name", Text: "To Win to Nil"}}).SelectionID())},
		{"duplicate", string(m.Duplicate(m.Row(&raw, "1"), "2").SelectionID())},
	} {
		fmt.Fprintf(&b, "%-26s %s\n", line.what, line.id)
	}
	const golden = "testdata/ids.golden"
	if *update {
		check.Must(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	check.Must(t, err)
	if b.String() != string(want) {
		t.Errorf("ids moved. Got:\n%swant:\n%s", b.String(), want)
	}
}

func TestShape(t *testing.T) {
	m := identity.NewMinter(testKey(), "betsapi")
	d := m.Fixture("1")
	for id, want := range map[string]string{
		string(d.FixtureID()):            `^fx_[a-z2-7]{26}$`,
		string(d.MarketID()):             `^mk_[a-z2-7]{26}$`,
		string(d.SelectionID()):          `^sl_[a-z2-7]{26}$`,
		string(d.AppendSelectionID(nil)): `^sl_[a-z2-7]{26}$`,
		m.Suffix("k", ""):                `^[a-z2-7]{8}$`,
	} {
		if !regexp.MustCompile(want).MatchString(id) {
			t.Errorf("%s does not look like %s", id, want)
		}
	}
}

// Every way to split the same characters into parts gives another identity.
func TestPartsAreSeparate(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', 0, 1, 2, '\x00', 'é', '~'}), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		m := identity.NewMinter(testKey(), "betsapi")
		draw := func(name string) identity.Meaning {
			return identity.Meaning{Selection: text.Draw(t, name), Line: text.Draw(t, name), Qualifier: text.Draw(t, name),
				Subject: text.Draw(t, name), Subject2: text.Draw(t, name)}
		}
		market := m.Market(m.Fixture("1"), identity.Definition{Canonical: "X"})
		a, b := draw("a"), draw("b")
		if same := m.Selection(&market, &a) == m.Selection(&market, &b); same != (a == b) {
			t.Fatalf("%+v and %+v: same %v", a, b, same)
		}
	})
}

func TestLabelsAreSeparate(t *testing.T) {
	m := identity.NewMinter(testKey(), "p")
	d := m.Fixture("1")
	seen := map[identity.Digest]int{}
	for i, labels := range [][]football.Label{
		{{Field: "a", Text: "b"}}, {{Field: "ab", Text: ""}}, {{Field: "", Text: "ab"}}, {},
		{{Field: "a", Text: ""}, {Field: "b", Text: ""}}, {{Field: "", Text: ""}}, {{Field: "", Text: ""}, {Field: "", Text: ""}},
	} {
		got := m.Labels(&d, labels)
		if j, twice := seen[got]; twice {
			t.Errorf("labels %d and %d are one", i, j)
		}
		seen[got] = i
	}
}

func TestDistinct(t *testing.T) {
	m := identity.NewMinter(testKey(), "betsapi")
	otherProvider := identity.NewMinter(testKey(), "sportmonks")
	other := testKey()
	other[31]++
	otherKey := identity.NewMinter(other, "betsapi")
	fx := m.Fixture("1")
	mk := m.Market(fx, identity.Definition{Canonical: "A", Period: "FT"})
	seen := map[identity.Digest]string{}
	for _, c := range []struct {
		what string
		d    identity.Digest
	}{
		{"fixture", fx}, {"another fixture", m.Fixture("2")}, {"no fixture", m.Fixture("")},
		{"another provider", otherProvider.Fixture("1")}, {"another key", otherKey.Fixture("1")},
		{"market", mk}, {"another period", m.Market(fx, identity.Definition{Canonical: "A", Period: "1H"})},
		{"subject", m.Market(fx, identity.Definition{Canonical: "A", Period: "FT", Subject: "HOME"})},
		{"parameter", m.Market(fx, identity.Definition{Canonical: "A", Period: "FT", Parameter: "HOME"})},
		{"other", m.Other(mk, "k", "")}, {"other with id", m.Other(mk, "k", "1")}, {"other key", m.Other(mk, "k1", "")},
		{"raw", m.RawMarket(fx, "k", "")}, {"raw with id", m.RawMarket(fx, "k", "1")},
		{"row", m.Row(&mk, "1")}, {"labels", m.Labels(&mk, []football.Label{{Field: "1"}})},
		{"meaning", m.Selection(&mk, &identity.Meaning{Selection: "1"})}, {"duplicate", m.Duplicate(mk, "1")},
	} {
		if was, twice := seen[c.d]; twice {
			t.Errorf("%s has the identity of %s", c.what, was)
		}
		seen[c.d] = c.what
	}
}

// An id depends neither on earlier calls nor on which clone makes it.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.String(), 1, 20).Draw(t, "ids")
		order := rapid.Permutation(ids).Draw(t, "order")
		m := identity.NewMinter(testKey(), "betsapi")
		want := map[string]identity.Digest{}
		for _, id := range ids {
			want[id] = m.Fixture(id)
		}
		clone := m.Clone()
		for _, id := range order {
			if clone.Fixture(id) != want[id] {
				t.Fatalf("%q moved", id)
			}
		}
	})
}

func TestMintingAllocatesNothing(t *testing.T) {
	m := identity.NewMinter(testKey(), "betsapi")
	mk := m.Market(m.Fixture("1"), identity.Definition{Canonical: "TOTAL_GOALS", Period: "FT"})
	s := identity.Meaning{Selection: "OVER", Line: "2.5"}
	b := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { b = m.Selection(&mk, &s).AppendSelectionID(b[:0]) }); n != 0 {
		t.Errorf("%v allocations a selection", n)
	}
}

func BenchmarkSelection(b *testing.B) {
	m := identity.NewMinter(testKey(), "betsapi")
	mk := m.Market(m.Fixture("1"), identity.Definition{Canonical: "TOTAL_GOALS", Period: "FT"})
	s := identity.Meaning{Selection: "OVER", Line: "2.5"}
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		buf = m.Selection(&mk, &s).AppendSelectionID(buf[:0])
	}
}
