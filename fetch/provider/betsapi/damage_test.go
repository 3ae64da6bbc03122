package betsapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// oddValues are put in the place of every value of a payload.
var oddValues = []string{`null`, `""`, `"text"`, `0`, `true`, `[]`, `{}`, `[null]`, `[[]]`, `[{}]`, `{"a":1}`, `[["text"],{"b":[[]]}]`, `{"0":{"x":{}}}`}

// saysNothing are the ways in which the provider writes that there is nothing: no
// damage where something may be missing.
var saysNothing = map[string]bool{`null`: true, `""`: true, `[]`: true, `{}`: true}

// spot is one value of a payload: its way from the root, and the text around it.
type spot struct {
	path          []string
	before, after string
}

// spots walks over a payload and finds every value in it.
func spots(t testing.TB, body string) (all []spot) {
	t.Helper()
	var walk func(text string, offset int, path []string)
	walk = func(text string, offset int, path []string) {
		all = append(all, spot{slices.Clone(path), body[:offset], body[offset+len(text):]})
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		open, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := open.(json.Delim); !ok {
			return
		}
		for n := 0; d.More(); n++ {
			key := fmt.Sprint(n)
			if open == json.Delim('{') {
				k, err := d.Token()
				if err != nil {
					t.Fatal(err)
				}
				key = k.(string)
			}
			var value json.RawMessage
			if err := d.Decode(&value); err != nil {
				t.Fatal(err)
			}
			end := int(d.InputOffset())
			walk(string(value), offset+end-len(value), append(path, key))
		}
	}
	body = strings.TrimSpace(body)
	walk(body, 0, nil)
	return all
}

// sample is the payload of that name in a golden.
func sample(t testing.TB, golden, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/read/" + golden + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(text).Files {
		if f.Name == name {
			var b bytes.Buffer
			if err := json.Compact(&b, f.Data); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
	}
	t.Fatalf("%s: no %s", golden, name)
	return ""
}

func sumOf(counts ...map[string]int) (n int) {
	for _, c := range counts {
		for _, k := range c {
			n += k
		}
	}
	return n
}

// Every value of a payload of markets is replaced by every odd one, and every member
// is there twice. Nothing panics, a whole envelope is read, everything outside
// the damaged part is read as before, to the byte, and the damage is counted.
func TestDamagedMarkets(t *testing.T) {
	for _, name := range []string{"v3", "v1", "raw", "copies"} {
		t.Run(name, func(t *testing.T) {
			body := sample(t, name, "markets.json")
			d := damagedMarkets{t, idsIn(t, body, "FI"), readMarkets(t, body)}
			for _, s := range spots(t, body) {
				for _, value := range oddValues {
					d.check(&s, value, s.before+value+s.after)
				}
				if twice, ok := twiceIn(body, &s); ok {
					d.check(&s, "twice", twice)
				}
			}
		})
	}
}

// twiceIn is a payload in which the member at a spot is there twice, with a text the
// first time; ok is false where no member is.
func twiceIn(body string, s *spot) (twice string, ok bool) {
	key, ok := strings.CutSuffix(s.before, `":`)
	if !ok {
		return "", false
	}
	at := strings.LastIndexByte(key, '"')
	return s.before + `"text",` + body[at:len(body)-len(s.after)] + s.after, true
}

func readMarkets(t testing.TB, body string) provider.Sheet {
	t.Helper()
	sheet, err := adapter.ReadMarkets(provider.Payload{Body: []byte(body)}, provider.Listing{})
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return sheet
}

// damagedMarkets holds damaged payloads against the whole one.
type damagedMarkets struct {
	*testing.T
	ids   []string // of the fixtures, by result
	whole provider.Sheet
}

// check reads a payload that is damaged at one spot.
func (d *damagedMarkets) check(s *spot, value, body string) {
	d.Helper()
	at := strings.Join(s.path, ".") + " = " + value
	sheet, err := adapter.ReadMarkets(provider.Payload{Body: []byte(body)}, provider.Listing{})
	if len(s.path) < 2 {
		return // the envelope, or the list in it
	}
	if err != nil {
		d.Errorf("%s: %v", at, err)
		return
	}
	counted := sumOf(sheet.Damaged) > sumOf(d.whole.Damaged) || !subset(sheet.Unknown, d.whole.Unknown)
	if !counted && mustCount(s, value) {
		d.Errorf("%s: not counted: damaged %v, unknown %v", at, sheet.Damaged, sheet.Unknown)
	}
	d.compareOutside(at, sheet, s.path)
}

// mustCount reports whether a value at a spot is damage: an empty one may
// stand for a missing one, and a number or text for another text.
func mustCount(s *spot, value string) bool {
	last := s.path[len(s.path)-1]
	switch {
	case slices.Contains(s.path, "schedule"): // not read where it is a list
		return false
	case value == "twice":
		return true
	case saysNothing[value] && len(s.path) > 2, value == `[{}]`: // an object whose members are all missing
		return false
	case last == "open" || last == "key" || last == "event_id" || last == "A" || last == "EW" || last == "HH" || last == "US" || last == "CL" || last == "FB":
		return false // not read, or read as yes and no
	case value == `"text"` || value == `0`:
		container := strings.HasSuffix(s.before, "[") || strings.HasSuffix(s.before, "},") || strings.HasPrefix(s.after, ",{")
		return container && len(s.path) == 2
	}
	return true
}

// subset reports whether nothing is counted that is not counted in all.
func subset(counts, all map[string]int) bool {
	for name := range counts {
		if all[name] == 0 {
			return false
		}
	}
	return true
}

// compareOutside holds everything outside the damaged part against the whole payload:
// other fixtures, and of the same one the markets of other keys than those that the
// damaged part holds.
func (d *damagedMarkets) compareOutside(at string, got provider.Sheet, path []string) {
	d.Helper()
	now := map[string]provider.FixtureOffers{}
	for _, f := range got.Fixtures {
		now[f.Fixture.ProviderFixtureID] = f
	}
	number, err := strconv.Atoi(path[1])
	if err != nil {
		d.Fatal(err)
	}
	for _, f := range d.whole.Fixtures {
		id := f.Fixture.ProviderFixtureID
		_, broken := got.Broken[id]
		switch {
		case id != d.ids[number]:
			if diff := difference(f, now[id]); diff != "" {
				d.Errorf("%s: fixture %s is another:\n%s", at, id, diff)
			}
			continue
		case len(path) == 2, path[2] == "FI", broken && len(path) < 5: // the fixture itself, or all that it had
			continue
		}
		for _, o := range f.Offers {
			if holds(&o, path) {
				continue
			}
			if diff := difference(&o, offerOf(now[id], o.Key)); diff != "" {
				d.Errorf("%s: fixture %s, %s is another:\n%s", at, id, o.Key, diff)
			}
		}
	}
}

// difference returns how two values differ, "" if they do not. Most do not, and
// cmp.Diff is slow.
func difference(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, fieldsOfTests)
}

var fieldsOfTests = cmp.Options{
	cmp.Comparer(func(a, b football.Field[string]) bool { return a == b }),
	cmp.FilterPath(func(p cmp.Path) bool { return strings.HasSuffix(p.String(), "StartsAt") }, cmp.Ignore()),
}

// holds reports whether an offer may be in a part of a fixture: in the section, and
// of the market that the path leads to.
func holds(o *input.Offer, path []string) bool {
	if !slices.Contains(o.Sections, path[2]) {
		return false
	}
	at := slices.Index(path, "sp")
	if at < 0 || at+1 >= len(path) {
		return true // a section, or the bookmaker's own tree, in which names stand for keys
	}
	key, _, _ := strings.Cut(o.Key, "#")
	return key == path[at+1]
}

func offerOf(f provider.FixtureOffers, key string) *input.Offer {
	for i := range f.Offers {
		if f.Offers[i].Key == key {
			return &f.Offers[i]
		}
	}
	return nil
}

// The same for lists of fixtures, to be played and in play: the other items are read as before, and damage to a
// member that is read is counted.
func TestDamagedLists(t *testing.T) {
	var inPlay bytes.Buffer
	item := strings.NewReplacer(`"saves":"x",`, ``, `"a"`, `"1"`).Replace(liveItem) // nothing in it is damaged
	other := strings.NewReplacer(`"500"`, `"501"`, `"777"`, `"778"`).Replace(item)
	if err := json.Compact(&inPlay, []byte(`{"success":1,"results":[`+item+","+other+`]}`)); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]struct {
		body    string
		id      string
		members []string // those whose damage is counted
		read    func(body string) (items map[string]string, damaged int, err error)
	}{
		"to be played": {sample(t, "listing", "listing1.json"), "id", []string{"league", "home", "away", "time", "time_status"}, func(body string) (map[string]string, int, error) {
			l, err := adapter.ReadListing([]provider.Payload{{Body: []byte(body)}})
			items := map[string]string{}
			for id, f := range l.Fixtures {
				items[id] = fmt.Sprintf("%+v", f)
			}
			for _, other := range []string{"item: a member is missing, and an unknown one is there", "item: null, where there is always a value"} {
				delete(l.Damaged, other) // the damage at hand may put one in its place, or take one away
			}
			return items, sumOf(l.Damaged, l.Broken), err
		}},
		"in play": {inPlay.String(), "bet365_id", []string{"league", "home", "away", "time", "ss", "timer", "stats", "events", "bet365_id"}, func(body string) (map[string]string, int, error) {
			s, err := live.ReadList([]provider.Payload{livePage(body)})
			items := map[string]string{}
			for _, x := range s.Samples {
				items[x.ProviderFixtureID] = describe(x)
			}
			return items, sumOf(s.Damaged, s.Broken), err
		}},
	} {
		whole, before, err := list.read(list.body)
		if err != nil || len(whole) < 2 {
			t.Fatalf("%s: %d items, %v", name, len(whole), err)
		}
		ids := idsIn(t, list.body, list.id)
		for _, s := range spots(t, list.body) {
			if len(s.path) < 2 || s.path[0] != "results" {
				continue
			}
			own, err := strconv.Atoi(s.path[1])
			if err != nil {
				t.Fatal(err)
			}
			for _, value := range append(slices.Clone(oddValues), "twice") {
				at, text := name+": "+strings.Join(s.path, ".")+" = "+value, s.before+value+s.after
				if value == "twice" {
					var ok bool
					if text, ok = twiceIn(list.body, &s); !ok {
						continue
					}
				}
				items, damaged, err := list.read(text)
				if err != nil {
					t.Errorf("%s: %v", at, err)
				}
				for id, was := range whole {
					if id != ids[own] && items[id] != was {
						t.Errorf("%s: %s is another", at, id)
					}
				}
				odd := strings.HasPrefix(value, "[") && value != "[]" || value == "true"
				if _, listed := whole[ids[own]]; odd && listed && len(s.path) == 3 && slices.Contains(list.members, s.path[2]) && damaged <= before {
					t.Errorf("%s: not counted", at)
				}
			}
		}
	}
}

// A damaged name still shows that nobody plays: the fixture is left out, in the list of
// fixtures and in the live one.
func TestDamagedNamesAreFiltered(t *testing.T) {
	const name = `"Esoccer Battle - 8 mins play"`
	for _, league := range []string{name, `{"id":"1","name":` + name + `}`, `{"name":[` + name + `]}`, `[` + name + `]`, `[{"name":` + name + `}]`, `{"name":{"en":` + name + `}}`,
		`{"name":"Cup","name":` + name + `}`, `{"name":` + name + `,"name":"Cup"}`, `{"name":"Cup"},"league":{"name":` + name + `}`, `{"name":` + name + `},"league":7`} {
		body := `{"success":1,"results":[{"id":"1","sport_id":"1","time":"1772740800","time_status":"1","league":` + league + `,"home":{"name":"A"},"away":{"name":"B"}}]}`
		l, err := adapter.ReadListing([]provider.Payload{{Body: []byte(body)}})
		if err != nil || len(l.Fixtures) > 0 || sumOf(l.Filtered) != 1 {
			t.Errorf("league %s: listed %v, filtered %v, %v", league, l.Fixtures, l.Filtered, err)
		}
		live, err := live.ReadList([]provider.Payload{livePage(body)})
		if err != nil || len(live.Samples) > 0 || sumOf(live.Filtered) != 1 {
			t.Errorf("league %s: in play %v, filtered %v, %v", league, live.Samples, live.Filtered, err)
		}
	}
}

// idsIn are the ids of the results, "" where one has none.
func idsIn(t testing.TB, body, key string) (ids []string) {
	t.Helper()
	var answer struct{ Results []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	for _, raw := range answer.Results {
		var result map[string]json.RawMessage
		_ = json.Unmarshal(raw, &result) // a value other than an object has no id
		ids = append(ids, strings.Trim(string(result[key]), `"`))
	}
	return ids
}
