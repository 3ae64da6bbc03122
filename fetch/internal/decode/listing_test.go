package decode_test

import (
	"maps"
	"slices"
	"testing"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

func listed(id, home, away, league string) provider.ListedFixture {
	return provider.ListedFixture{Fixture: football.Fixture{ProviderFixtureID: id, Home: football.Of(home), Away: football.Of(away), League: football.Of(league)}}
}

// An id that is on a list twice is one fixture if a name was corrected between two pages,
// and none if the two items are of different fixtures.
func TestOneIDTwice(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second provider.ListedFixture
		rules         [2]string
		listed        bool
	}{
		{"the same", listed("1", "A", "B", "L"), listed("1", "A", "B", "L"), [2]string{}, true},
		{"a name was corrected", listed("1", "A", "B", "L"), listed("1", "A FC", "B", "L"), [2]string{}, true},
		{"the league was corrected", listed("1", "A", "B", "L"), listed("1", "A", "B", "M"), [2]string{}, true},
		{"a name came later", provider.ListedFixture{Fixture: football.Fixture{ProviderFixtureID: "1"}}, listed("1", "A", "B", "L"), [2]string{}, true},
		{"other teams", listed("1", "A", "B", "L"), listed("1", "C", "D", "L"), [2]string{}, false},
		{"swapped sides", listed("1", "A", "B", "L"), listed("1", "B", "A", "L"), [2]string{}, false},
		{"another team in another league", listed("1", "A", "B", "L"), listed("1", "A", "C", "M"), [2]string{}, false},
		{"eSoccer on one page", listed("1", "A", "B", "L"), listed("1", "A", "B", "L"), [2]string{"esoccer", ""}, false},
		{"eSoccer on the other page", listed("1", "A", "B", "L"), listed("1", "A", "B", "L"), [2]string{"", "esoccer"}, false},
	} {
		l := decode.NewListing()
		for i, f := range []provider.ListedFixture{c.first, c.second} {
			l.Count("")
			l.Keep(f, c.rules[i], decode.Format{})
		}
		got, err := l.Result("list")
		if _, is := got.Fixtures["1"]; err != nil || is != c.listed || is == (got.Broken[decode.TwoFixtures] == 1) || len(got.Filtered) > 0 {
			t.Errorf("%s: listed %v, broken %v, filtered %v, %v", c.name, is, got.Broken, got.Filtered, err)
		}
	}
}

// A missing member shows a changed format only beside an unknown one.
func TestFormat(t *testing.T) {
	known := decode.Set("id", "home", "note")
	for text, want := range map[string]struct {
		changed bool
		unknown []string
	}{
		`{"id":1,"home":2}`:            {false, nil},
		`{"id":1,"note":2}`:            {false, nil},
		`{"id":1,"home":2,"new":3}`:    {false, []string{"item.new"}},
		`{"id":1,"home_v2":2}`:         {true, []string{"item.home_v2"}},
		`{"id":1,"home":null,"new":3}`: {false, []string{"item.new"}},
		`[1]`:                          {false, nil},
	} {
		var d strictjson.Document
		if err := d.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		var f decode.Format
		if f.Compare(d.Root(), "item", known, "id", "home"); f.Changed != want.changed || !slices.Equal(f.Unknown, want.unknown) {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

// A missing name shows a changed format only beside a text that may be the name.
func TestFormatOfNames(t *testing.T) {
	for text, want := range map[string]bool{`{"id":"1","name":"A"}`: false, `{"id":"1"}`: false, `{"id":"1","cc":"fr"}`: false, `{}`: false, `null`: false, `"A"`: false,
		`{"id":"1","title":"A"}`: true, `{"id":"1","name":"A","title":"A"}`: false} {
		var d strictjson.Document
		if err := d.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		var f decode.Format
		if f.CompareNamed(d.Root()); f.Changed != want {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

// Hurt counts items, whatever number of their parts is damaged, and no damage elsewhere.
func TestHurtItems(t *testing.T) {
	l := decode.NewListing()
	l.AddDamage("paging")
	for id, parts := range map[string]int{"1": 0, "2": 1, "3": 3} {
		for range parts {
			l.Damaged.Add("item: a name")
		}
		l.Count("")
		l.Keep(listed(id, "A", "B", "L"), "", decode.Format{Changed: id == "3"})
	}
	got, err := l.Result("list")
	want := map[string]int{"paging": 1, "item: a name": 4, decode.Renamed: 1}
	if err != nil || got.Met != 3 || got.Hurt != 2 || !maps.Equal(got.Damaged, want) {
		t.Errorf("%d of %d hurt, %v, %v", got.Hurt, got.Met, got.Damaged, err)
	}
}
