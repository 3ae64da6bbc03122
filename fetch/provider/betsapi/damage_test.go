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
	case saysNothing[value] && len(s.path) > 2, value == `[{}]`: // an object of which everything is missing
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

// A row that is damaged leaves the other rows of its market as they are.
func TestDamagedRows(t *testing.T) {
	body := sample(t, "v3", "markets.json")
	whole := readMarkets(t, body)
	rows := 0
	for _, s := range spots(t, body) {
		at := slices.Index(s.path, "odds")
		if at < 0 || len(s.path) < at+2 {
			continue
		}
		for _, value := range oddValues {
			sheet := readMarkets(t, s.before+value+s.after)
			key := s.path[at-1]
			var number int
			fmt.Sscan(s.path[at+1], &number)
			for i, f := range whole.Fixtures {
				if fmt.Sprint(i) != s.path[1] {
					continue
				}
				was, is := offerOf(f, key), offerOf(sheet.Fixtures[i], key)
				if was == nil || len(was.Sections) > 1 || len(was.Rows) != len(is.Rows) || slices.ContainsFunc(was.Rows, isJoined) {
					continue // merged from several tabs, or joined from labels
				}
				for n := range was.Rows {
					rows++
					if diff := cmp.Diff(was.Rows[n], is.Rows[n], fieldsOfTests); n != number && diff != "" {
						t.Errorf("%s = %s: row %d is another:\n%s", strings.Join(s.path, "."), value, n, diff)
					}
				}
			}
		}
	}
	if rows < 400 {
		t.Errorf("%d rows compared", rows)
	}
}

// A table in which one row is damaged is read as before but for that line: a label
// takes its own prices along, and a price itself alone.
func TestDamagedTables(t *testing.T) {
	var rows []string
	for _, id := range []string{"1", "2", "3"} {
		rows = append(rows, `{"id":"PC`+id+`","odds":"","name":"Player `+id+`"}`)
	}
	for _, head := range []string{"Over", "Under"} {
		for _, id := range []string{"1", "2", "3"} {
			rows = append(rows, fmt.Sprintf(`{"id":"%s","odds":"1.5%s","header":"%s"}`, id+strings.TrimPrefix(head, "Over"), id, head))
		}
	}
	read := func(rows []string) map[string]input.Row {
		body := `{"success":1,"results":[{"FI":"1","main":{"updated_at":"1772600100","sp":{"player_shots":{"id":"1","odds":[` + strings.Join(rows, ",") + `]}}}}]}`
		all := map[string]input.Row{}
		for _, row := range readMarkets(t, body).Fixtures[0].Offers[0].Rows {
			all[row.ID.Or("none")] = row
		}
		return all
	}
	whole := read(rows)
	if len(whole) != 6 || whole["3Under"].Labels[0].Text != "Player 3" {
		t.Fatalf("%+v", whole)
	}
	for damaged := range rows {
		line := fmt.Sprint(damaged%3 + 1)
		for _, value := range []string{`null`, `"text"`, `0`, `[]`, `{}`, `[{}]`, `{"id":null,"odds":"","name":"Player"}`, `{"id":["PC1"],"odds":""}`, `{"id":"PC` + line + `","id":"PC9","odds":""}`} {
			now := read(slices.Replace(slices.Clone(rows), damaged, damaged+1, value))
			for id, row := range whole {
				own := damaged < 3 && id[:1] == line || damaged >= 3 && id == line+map[bool]string{true: "Under"}[damaged >= 6]
				if got, there := now[id]; !own && !cmp.Equal(row, got, fieldsOfTests) {
					t.Errorf("row %d is %s: %s is another: %+v", damaged, value, id, got)
				} else if damaged < 3 && !there || own && there && got.Trouble == "" {
					t.Errorf("row %d is %s: %s is there %v, trouble %q", damaged, value, id, there, got.Trouble)
				}
			}
		}
	}
}

func isJoined(row input.Row) bool {
	return slices.ContainsFunc(row.Labels, func(l football.Label) bool { return strings.HasPrefix(l.Field, "label.") })
}

func offerOf(f provider.FixtureOffers, key string) *input.Offer {
	for i := range f.Offers {
		if f.Offers[i].Key == key {
			return &f.Offers[i]
		}
	}
	return nil
}

// The same for a list of fixtures: the other items are read as before, and an item
// that has its id and its names is still listed.
func TestDamagedListing(t *testing.T) {
	body := sample(t, "listing", "listing1.json")
	read := func(body string) (provider.Listing, error) {
		l, err := adapter.ReadListing([]provider.Payload{{Body: []byte(body)}})
		for _, other := range []string{"item: a member is missing, and an unknown one is there", "item: null, where there is always a value"} {
			delete(l.Damaged, other) // the damage at hand may put one in its place, or take one away
		}
		return l, err
	}
	whole, err := read(body)
	if err != nil {
		t.Fatal(err)
	}
	ids := idsIn(t, body, "id")
	for _, s := range spots(t, body) {
		for _, value := range oddValues {
			at := strings.Join(s.path, ".") + " = " + value
			l, err := read(s.before + value + s.after)
			if len(s.path) < 2 || s.path[0] != "results" {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", at, err)
				continue
			}
			var n int
			fmt.Sscan(s.path[1], &n)
			for id, f := range whole.Fixtures {
				if id != ids[n] && !cmp.Equal(f, l.Fixtures[id], fieldsOfTests) {
					t.Errorf("%s: %s is another", at, id)
				}
			}
			_, before := whole.Fixtures[ids[n]]
			if _, now := l.Fixtures[ids[n]]; before && !now && len(s.path) > 2 && s.path[2] != "id" && s.path[2] != "sport_id" {
				t.Errorf("%s: %s is not listed any more: %v", at, ids[n], l.Filtered)
			}
			odd := value != "0" && value != `"text"` && !saysNothing[value]
			known := len(s.path) > 2 && slices.Contains([]string{"league", "home", "away", "time", "time_status"}, s.path[2]) && (len(s.path) == 3 || s.path[3] == "name")
			wrapped := len(s.path) == 3 && value == `{"a":1}` || value == `{"0":{"x":{}}}` // an object without a name
			if _, listed := whole.Fixtures[ids[n]]; odd && known && listed && !wrapped && sumOf(l.Damaged, l.Broken) <= sumOf(whole.Damaged, whole.Broken) {
				t.Errorf("%s: not counted: %v", at, l.Damaged)
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

// The same for a live list and for details, which are read alike.
func TestDamagedLive(t *testing.T) {
	item := strings.NewReplacer(`"saves":"x",`, ``, `"a"`, `"1"`).Replace(liveItem) // nothing in it is damaged
	other := strings.NewReplacer(`"500"`, `"501"`, `"777"`, `"778"`).Replace(item)
	body := `{"success":1,"pager":{"page":1,"per_page":1000,"total":2},"results":[` + item + "," + other + `]}`
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(body)); err != nil {
		t.Fatal(err)
	}
	body = compact.String()
	whole, err := live.ReadList([]provider.Payload{livePage(body)})
	if err != nil || len(whole.Damaged) > 0 {
		t.Fatal(err, whole.Damaged)
	}
	counted := []string{"league", "home", "away", "time", "ss", "timer", "stats", "events", "bet365_id"}
	for _, s := range spots(t, body) {
		for _, value := range append(slices.Clone(oddValues), "twice") {
			text := s.before + value + s.after
			if value == "twice" {
				var ok bool
				if text, ok = twiceIn(body, &s); !ok {
					continue
				}
			}
			at := strings.Join(s.path, ".") + " = " + value
			sheet, err := live.ReadList([]provider.Payload{livePage(text)})
			if len(s.path) < 2 || s.path[0] != "results" {
				if s.path != nil && s.path[0] == "pager" && err == nil && value != "null" && sheet.Complete && s.path[len(s.path)-1] != "total" {
					t.Errorf("%s: a list with a damaged pager is complete", at)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", at, err)
				continue
			}
			undamaged := map[string]int{"0": 1, "1": 0}[s.path[1]]
			i := slices.IndexFunc(sheet.Samples, func(x input.Sample) bool {
				return x.ProviderEventID == whole.Samples[undamaged].ProviderEventID
			})
			if i < 0 || describe(sheet.Samples[i]) != describe(whole.Samples[undamaged]) {
				t.Errorf("%s: the other fixture is another", at)
			}
			if sumOf(sheet.Broken, sheet.Filtered) == 0 && len(sheet.Samples) != 2 {
				t.Errorf("%s: %d samples, nothing is broken", at, len(sheet.Samples))
			}
			odd := value != "0" && value != `"text"` && !saysNothing[value]
			if known := len(s.path) == 3 && slices.Contains(counted, s.path[2]); odd && known && value != `{"a":1}` && value != `{"0":{"x":{}}}` &&
				sumOf(sheet.Damaged) == 0 {
				t.Errorf("%s: not counted", at)
			}
		}
	}
}
