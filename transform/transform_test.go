package transform_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/content"
	"mkt/transform"
	"mkt/transform/identity"
	"mkt/transform/reading"
)

func TestRun(t *testing.T) {
	w := small("1", "2", "3")
	w.edit = func(c *raw.Cycle) { c.Outcome, c.Failed = raw.Partial, []string{"3"} }
	w.sheets = w.sheets[:2]
	root, data := w.mem(t), durabletest.NewMem()
	s, err := run(root, data)
	must(t, err)
	if s.Cycle != cycleID || s.Already || s.Fixtures != 2 || s.Markets != 2 || s.Mapped != 2 || s.Selections != 6 || s.Publishable != 6 || s.WithoutPrices != 2 || s.Failed != 1 {
		t.Errorf("summary %+v", s)
	}
	m, _, err := snapshot.OpenCanonical(root, cycleID)
	must(t, err)
	must(t, snapshot.Verify(root, layout.Cycle(layout.CanonicalDir, cycleID), m))
	if !m.ProcessedAt.Equal(ran) || !m.ProviderFetchedAt.Equal(began.Add(3*time.Second)) || m.BinaryVersion != "test" || !m.ListingComplete {
		t.Errorf("manifest %+v", m)
	}
	if m.Counters["markets_without_prices"] != 2 || m.Tables["markets"].Rows != 2 || m.Tables["listing"].Rows != 3 {
		t.Errorf("counters %v, tables %v", m.Counters, m.Tables)
	}
	for _, row := range rows[table.ListingRow](t, root, layout.ListingFile) {
		want := map[string]string{"1": "REFRESHED", "2": "REFRESHED", "3": "FAILED"}[row.ProviderFixtureID]
		if row.Status != "LISTED" || row.Markets != want {
			t.Errorf("listing row %+v, want %s", row, want)
		}
	}
	for _, row := range rows[table.FixtureRow](t, root, layout.FixturesFile) {
		if *row.Home != "Home "+row.ProviderFixtureID || row.MarketCount != 1 || row.ContentDigest == "" || !strings.HasPrefix(row.FixtureID, "fx_") {
			t.Errorf("fixture row %+v", row)
		}
	}
	for _, row := range rows[table.MarketRow](t, root, layout.MarketsFile) {
		if *row.Market != "MATCH_RESULT" || *row.Period != "FT" || row.Selections[2].Subject != nil || *row.Selections[2].Selection != "AWAY" || *row.Selections[0].OddsDecimalText != "1.90" {
			t.Errorf("market row %+v", row)
		}
	}
	state, err := health.Read(root, "transform")
	must(t, err)
	if !state.OK || state.Cycle != string(cycleID) || state.Counters["markets"] != 2 {
		t.Errorf("state %+v", state)
	}
}

// A second run does nothing unless the cycle is named; then it gives the same result,
// with the first run's times and version.
func TestAgain(t *testing.T) {
	root, data := small("1", "2").mem(t), durabletest.NewMem()
	_, err := run(root, data)
	must(t, err)
	before := files(t, root, layout.CanonicalDir)
	s, err := run(root, data)
	if err != nil || !s.Already {
		t.Errorf("again: %+v, %v", s, err)
	}
	o := options(root, data)
	o.Cycle, o.Version = cycleID, "newer"
	o.Now = func() time.Time { return ran.Add(24 * time.Hour) }
	s, err = transform.Run(context.Background(), o)
	if err != nil || s.Already || s.Markets != 2 {
		t.Errorf("named: %+v, %v", s, err)
	}
	if after := files(t, root, layout.CanonicalDir); !maps.Equal(before, after) {
		t.Error("the second run wrote other bytes")
	}
	if left, err := root.ReadDir(layout.StagingDir); err != nil || len(left) != 0 {
		t.Errorf("left in staging: %v, %v", left, err)
	}
}

// Neither the number of workers nor the order of payloads, of their items and of the members of an item
// changes a byte, also if items have unknown, missing or retyped members or are sent twice.
func TestAnyParallelism(t *testing.T) {
	_, pages, sheets := simulated(t, 3, 60)
	w := world{pages: changed(t, pages, true), sheets: changed(t, sheets, false)}
	var want map[string]string
	runs := []int{1, 2, 3, 8}
	if !testing.Short() {
		runs = append([]int{1, 2, 3, 4, 5, 6, 7, 8, 16, 64}, slices.Repeat([]int{2}, 90)...)
	}
	// Both name the answers' hashes, which the order of their items changes.
	manifest, fixturesFile := layout.Cycle(layout.CanonicalDir, cycleID)+"/"+layout.CanonicalFile, layout.Cycle(layout.CanonicalDir, cycleID)+"/"+layout.FixturesFile
	var wantFixtures []table.FixtureRow
	for i, workers := range runs {
		rng := rand.New(rand.NewPCG(7, uint64(i/2))) // every order twice
		root := world{pages: shuffled(t, rng, w.pages, true), sheets: shuffled(t, rng, w.sheets, false)}.mem(t)
		o := options(root, durabletest.NewMem())
		o.Workers = workers
		s, err := transform.Run(context.Background(), o)
		must(t, err)
		got := files(t, root, layout.CanonicalDir)
		fixtures := rows[table.FixtureRow](t, root, layout.FixturesFile)
		for i := range fixtures {
			fixtures[i].AnswerSHA256 = nil
		}
		switch {
		case want == nil:
			want, wantFixtures = got, fixtures
		case i%2 == 0:
			want[manifest], want[fixturesFile] = got[manifest], got[fixturesFile]
		}
		if diff := cmp.Diff(wantFixtures, fixtures); diff != "" {
			t.Errorf("order %d: other fixtures: %s", i, diff)
		}
		if !maps.Equal(got, want) || s.Fixtures < 40 || s.Partial != 1 {
			t.Errorf("order %d with %d workers: other bytes, or %+v", i, workers, s)
		}
	}
	t.Logf("%d orders, each twice with up to 64 workers: the same %d files", len(runs)/2, len(want))
}

// itemsOf is an answer of BetsAPI.
type itemsOf struct {
	Success int                          `json:"success"`
	Pager   json.RawMessage              `json:"pager,omitempty"`
	Results []map[string]json.RawMessage `json:"results"`
}

// changed gives every item an unknown member. In the first list one item has no away team and one a number for
// its league, in the first markets one a number for its main section, and one is there twice. All are of one
// moment.
func changed(t *testing.T, payloads []provider.Payload, listing bool) []provider.Payload {
	t.Helper()
	for n := range payloads {
		var all itemsOf
		must(t, json.Unmarshal(payloads[n].Body, &all))
		for i, item := range all.Results {
			item["nobody_knows"] = json.RawMessage(`{"x":[1,null,"2"]}`)
			switch {
			case n > 0:
			case i == 0 && listing:
				delete(item, "away")
			case i == 1 && listing:
				item["league"] = json.RawMessage("7")
			case i == 0:
				item["main"] = json.RawMessage("17")
			case i == 2:
				all.Results = append(all.Results, item)
			}
		}
		var err error
		payloads[n].FetchedAt = began
		payloads[n].Body, err = json.Marshal(all)
		must(t, err)
	}
	return payloads
}

// shuffled changes the order of payloads and of their items, and that of the members of an item unless it is
// the order of its markets.
func shuffled(t *testing.T, rng *rand.Rand, payloads []provider.Payload, members bool) []provider.Payload {
	t.Helper()
	payloads = slices.Clone(payloads)
	rng.Shuffle(len(payloads), func(i, j int) { payloads[i], payloads[j] = payloads[j], payloads[i] })
	for n := range payloads {
		var all itemsOf
		must(t, json.Unmarshal(payloads[n].Body, &all))
		rng.Shuffle(len(all.Results), func(i, j int) { all.Results[i], all.Results[j] = all.Results[j], all.Results[i] })
		var items []string
		for _, item := range all.Results {
			keys, parts := slices.Sorted(maps.Keys(item)), []string{}
			if members {
				rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			}
			for _, key := range keys {
				parts = append(parts, fmt.Sprintf("%q:%s", key, item[key]))
			}
			items = append(items, "{"+strings.Join(parts, ",")+"}")
		}
		body := `{"results":[` + strings.Join(items, ",") + `],"success":1`
		if all.Pager != nil {
			body += `,"pager":` + string(all.Pager)
		}
		payloads[n].Body = []byte(body + "}")
	}
	return payloads
}

func TestRefusals(t *testing.T) {
	good := small("1")
	for _, c := range []struct {
		name  string
		world world
		edit  func(*transform.Options, *durabletest.Mem)
		want  error
		says  string
	}{
		{"no cycle", world{}, func(o *transform.Options, _ *durabletest.Mem) { o.Root = durabletest.NewMem() }, reading.ErrNoCycle, "mkt fetch"},
		{"a cycle that is not there", good, func(o *transform.Options, _ *durabletest.Mem) { o.Cycle = "20260101T000000Z-market_engine" }, reading.ErrNoCycle, "20260101T000000Z"},
		{"a failed retrieval", world{pages: good.pages, edit: func(c *raw.Cycle) { c.Outcome, c.Code = raw.Failed, "CREDENTIAL_REJECTED" }},
			func(o *transform.Options, _ *durabletest.Mem) { o.Cycle = cycleID }, reading.ErrNoCycle, "CREDENTIAL_REJECTED"},
		{"another account's cycle", world{pages: good.pages, sheets: good.sheets, edit: func(c *raw.Cycle) { c.ClientID = "other" }}, nil, raw.ErrCorrupt, "other"},
		{"another id key", good, func(o *transform.Options, data *durabletest.Mem) {
			_ = durable.Create(data, layout.IDKeyFingerprintFile, durable.Bytes([]byte(identity.Key{9}.Fingerprint()+"\n")))
		}, transform.ErrKey, layout.IDKeyFingerprintFile},
		{"an unknown provider", world{pages: good.pages, sheets: good.sheets, edit: func(c *raw.Cycle) { c.Provider = "nobody" }}, nil, nil, "nobody"},
		{"a product without an engine", good, func(o *transform.Options, _ *durabletest.Mem) { o.Product = "weather" }, nil, "weather"},
		{"no account", good, func(o *transform.Options, _ *durabletest.Mem) { o.ClientID = "../x" }, nil, "../x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, data := c.world.mem(t), durabletest.NewMem()
			o := options(root, data)
			if c.edit != nil {
				c.edit(&o, data)
			}
			_, err := transform.Run(context.Background(), o)
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v saying %q", err, c.want, c.says)
			}
			if there, err := durable.Exists(root, layout.Cycle(layout.CanonicalDir, cycleID)); there || err != nil {
				t.Error("something was written")
			}
		})
	}
}

func TestKeyIsRecorded(t *testing.T) {
	root, data := small("1").mem(t), durabletest.NewMem()
	_, err := run(root, data)
	must(t, err)
	text, err := durable.ReadFile(data, layout.IDKeyFingerprintFile, 100)
	must(t, err)
	if want := options(root, data).Key.Fingerprint() + "\n"; string(text) != want {
		t.Errorf("recorded %q, want %q", text, want)
	}
}

// Another key is not adopted in place of a record that the disk lost, if it did not make what another account has
// published, even where this one has published nothing.
func TestOtherKeyIsNotRecorded(t *testing.T) {
	for _, lost := range []bool{false, true} {
		data, err := durable.OpenRoot(t.TempDir())
		must(t, err)
		defer data.Close()
		other, err := data.MakeWithin(layout.TenantProduct("other", "market_engine"))
		must(t, err)
		defer other.Close()
		must(t, snapshot.MakeFolders(other))
		at, dir := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), layout.Cycle(layout.SnapshotsDir, cycleID)
		must(t, durable.MkdirAllSync(other, dir))
		sum, err := snapshot.CreateManifest(other, dir, snapshot.Manifest{Format: snapshot.Format, Kind: snapshot.KindSnapshot, ClientID: "other",
			Product: football.MarketEngine, CycleID: cycleID, PublishedAt: &at, IDKeyFingerprint: identity.Key{9}.Fingerprint()})
		must(t, err)
		_, err = snapshot.Seal(other, snapshot.Commit{Format: snapshot.Format, Version: 1, HistoryID: "h", RunID: "r", CycleID: cycleID, PublishedAt: at,
			ManifestSHA256: sum, FirstSeq: 1}, "staging/commit.json")
		must(t, err)
		if lost {
			must(t, durable.Create(data, layout.IDKeyFingerprintFile, durable.Bytes(nil)))
		}
		root := small("1").mem(t)
		if _, err := run(root, data); !errors.Is(err, transform.ErrKey) {
			t.Errorf("record lost %t: %v", lost, err)
		}
	}
}

// A record that the disk lost is made again.
func TestKeyIsRecordedAgain(t *testing.T) {
	for _, content := range []string{"", "\n", strings.Repeat("\x00", 33)} {
		root, data := small("1").mem(t), durabletest.NewMem()
		must(t, durable.Create(data, layout.IDKeyFingerprintFile, durable.Bytes([]byte(content))))
		_, err := run(root, data)
		must(t, err)
		text, err := durable.ReadFile(data, layout.IDKeyFingerprintFile, 100)
		must(t, err)
		if want := options(root, data).Key.Fingerprint() + "\n"; string(text) != want {
			t.Errorf("%q: recorded %q, want %q", content, text, want)
		}
	}
}

// Rows of older rules stay as they are.
func TestOtherRules(t *testing.T) {
	root, data := small("1").mem(t), durabletest.NewMem()
	_, err := run(root, data)
	must(t, err)
	m, _, err := snapshot.OpenCanonical(root, cycleID)
	must(t, err)
	must(t, root.RemoveAll(layout.Cycle(layout.CanonicalDir, cycleID)))
	must(t, durable.MkdirAllSync(root, layout.Cycle(layout.CanonicalDir, cycleID)))
	m.DerivationVersion = "0"
	_, err = snapshot.CreateManifest(root, layout.Cycle(layout.CanonicalDir, cycleID), m)
	must(t, err)
	o := options(root, data)
	o.Cycle = cycleID
	if _, err := transform.Run(context.Background(), o); !errors.Is(err, transform.ErrRules) {
		t.Errorf("%v, want ErrRules", err)
	}
}

// The broken payload of one fixture affects only that fixture; more than one in twenty
// stop the run.
func TestBrokenPayloads(t *testing.T) {
	for _, c := range []struct {
		fixtures, broken int
		body             string
		stops            bool
	}{
		{1, 1, "{", false}, {10, 1, `{"success":1,"results":[{"FI":"%s","main":{"sp":7}}]}`, false}, {30, 1, "<html>", false},
		{10, 2, "{", true}, {40, 2, `{"success":1}`, false}, {40, 3, "[]", true}, {40, 40, "", true},
	} {
		t.Run(fmt.Sprintf("%d of %d", c.broken, c.fixtures), func(t *testing.T) {
			var all []string
			for i := range c.fixtures {
				id := fmt.Sprint(100 + i)
				if i < c.broken {
					id += " " + strings.ReplaceAll(c.body+" ", "%s", id)
				}
				all = append(all, id)
			}
			root, data := small(all...).mem(t), durabletest.NewMem()
			s, err := run(root, data)
			state, stateErr := health.Read(root, "transform")
			must(t, stateErr)
			if s.Broken != c.broken {
				t.Errorf("%d broken, want %d", s.Broken, c.broken)
			}
			if c.stops {
				if !errors.Is(err, reading.ErrQuarantined) || state.Code != "QUARANTINED" || state.OK {
					t.Errorf("%v, state %+v", err, state)
				}
				return
			}
			must(t, err)
			failed := 0
			for _, row := range rows[table.ListingRow](t, root, layout.ListingFile) {
				if row.Markets == "FAILED" {
					failed++
				}
			}
			if s.Fixtures != c.fixtures-c.broken || failed != c.broken || !state.OK {
				t.Errorf("%d fixtures, %d failed, state %+v", s.Fixtures, failed, state)
			}
		})
	}
}

// A fixture in several payloads becomes one row of the newest retrieval; one that is not
// in the listing, or over, is left out.
func TestJoining(t *testing.T) {
	w := small("1", "2", "3", "4")
	older := w.sheets[0]
	older.Body = []byte(strings.ReplaceAll(string(older.Body), "1.90", "1.50"))
	older.FetchedAt = began
	w.sheets = append(w.sheets, older)
	w.pages[0].Body = []byte(strings.Replace(strings.Replace(string(w.pages[0].Body),
		`"id":"3","sport_id":"1","time":"1795165200","time_status":"0"`, `"id":"3","sport_id":"1","time":"1795165200","time_status":"3"`, 1),
		`{"id":"1","name":"League"},"home":{"id":"2","name":"Home 4"}`, `{"id":"1","name":"Esoccer Battle - 8 mins play"},"home":{"id":"2","name":"Home 4"}`, 1))
	root, data := w.mem(t), durabletest.NewMem()
	s, err := run(root, data)
	must(t, err)
	if s.Fixtures != 2 {
		t.Errorf("%d fixtures, want 2", s.Fixtures)
	}
	for _, row := range rows[table.MarketRow](t, root, layout.MarketsFile) {
		if got := *row.Selections[0].OddsDecimalText; got != "1.90" {
			t.Errorf("odds %s of the older retrieval", got)
		}
	}
	m, _, err := snapshot.OpenCanonical(root, cycleID)
	must(t, err)
	if m.Counters["fixtures_repeated"] != 1 || m.Counters["fixtures_not_listed"] != 2 || len(m.Filtered) != 1 {
		t.Errorf("counters %v, filtered %v", m.Counters, m.Filtered)
	}
	for _, row := range rows[table.ListingRow](t, root, layout.ListingFile) {
		if want := map[string]string{"1": "LISTED REFRESHED", "2": "LISTED REFRESHED", "3": "OVER NONE"}[row.ProviderFixtureID]; row.Status+" "+row.Markets != want {
			t.Errorf("listing row %+v, want %s", row, want)
		}
	}
}

// A fixture that is listed without markets has a row as listed, unless it is over, was
// filtered out, read, or could not be retrieved.
func TestNotOffered(t *testing.T) {
	w := small("1", "2", "3", "4", "5", "6 {")
	w.sheets = []provider.Payload{w.sheets[0], w.sheets[5]}
	page := string(w.pages[0].Body)
	for _, change := range [][2]string{
		{`"name":"League"},"home":{"id":"2","name":"Home 2"},"away":{"id":"3","name":"Away 2"}`, `"name":null},"home":{"id":"2","name":"Home 2"}`},
		{`"name":"League"},"home":{"id":"2","name":"Home 3"}`, `"name":"Esoccer Battle - 8 mins play"},"home":{"id":"2","name":"Home 3"}`},
		{`"id":"4","sport_id":"1","time":"1795165200","time_status":"0"`, `"id":"4","sport_id":"1","time":"1795165200","time_status":"3"`},
	} {
		if !strings.Contains(page, change[0]) {
			t.Fatalf("%s is not in the list", change[0])
		}
		page = strings.Replace(page, change[0], change[1], 1)
	}
	w.pages[0].Body = []byte(page)
	w.pages[0].FetchedAt = began.Add(4 * time.Second) // the list is newer than the markets
	w.edit = func(c *raw.Cycle) {
		c.Outcome, c.Failed, c.NotOffered = raw.Partial, []string{"5"}, []string{"1", "2", "3", "4", "5", "6", "77"}
	}
	root := w.mem(t)
	s, err := run(root, durabletest.NewMem())
	must(t, err)
	if s.Fixtures != 1 || s.NotOffered != 1 || s.Markets != 1 || s.Failed != 1 || s.Broken != 1 {
		t.Errorf("summary %+v", s)
	}
	fixtures := rows[table.FixtureRow](t, root, layout.FixturesFile)
	if len(fixtures) != 2 {
		t.Fatalf("%d fixture rows: %+v", len(fixtures), fixtures)
	}
	for _, row := range fixtures {
		if row.ProviderFixtureID == "1" {
			continue
		}
		digest := row.ContentDigest
		row.ContentDigest = ""
		want := table.FixtureRow{FixtureID: row.FixtureID, Home: new("Home 2"), StartsAt: new(time.Unix(1795165200, 0).UTC()),
			SourceProvider: "betsapi", ProviderFixtureID: "2", ProviderFetchedAt: w.pages[0].FetchedAt, Absent: []string{"away"}}
		if diff := cmp.Diff(want, row); diff != "" || digest != content.Digest(row, nil) {
			t.Errorf("digest %s, row (-want +got):\n%s", digest, diff)
		}
	}
	for _, row := range rows[table.ListingRow](t, root, layout.ListingFile) {
		want := map[string]string{"1": "LISTED REFRESHED", "2": "LISTED NONE", "4": "OVER NONE", "5": "LISTED FAILED", "6": "LISTED FAILED"}[row.ProviderFixtureID]
		if row.Status+" "+row.Markets != want {
			t.Errorf("listing row %+v, want %s", row, want)
		}
	}
	m, _, err := snapshot.OpenCanonical(root, cycleID)
	must(t, err)
	if m.Counters["fixtures"] != 1 || m.Counters["fixtures_not_offered"] != 1 || m.Tables["fixtures"].Rows != 2 || !m.ProviderFetchedAt.Equal(w.pages[0].FetchedAt) {
		t.Errorf("%+v", m)
	}
	state, err := health.Read(root, "transform")
	must(t, err)
	if state.Counters["not_offered"] != 1 {
		t.Errorf("state %v", state.Counters)
	}
}

// If the provider offers no markets at all, the fixtures are still there.
func TestNothingOffered(t *testing.T) {
	w := small("1", "2", "3")
	w.sheets = []provider.Payload{{Endpoint: "bet365/prematch", Query: url.Values{"FI": {"1,2,3"}}, FetchedAt: began, Body: []byte(`{"success":1,"results":[]}`)}}
	w.edit = func(c *raw.Cycle) { c.NotOffered = []string{"1", "2", "3"} }
	root := w.mem(t)
	s, err := run(root, durabletest.NewMem())
	must(t, err)
	if n := len(rows[table.FixtureRow](t, root, layout.FixturesFile)); s.Fixtures != 0 || s.NotOffered != 3 || n != 3 {
		t.Errorf("%d rows, %+v", n, s)
	}
}

// An archive whose bytes have changed since they were written stops the run.
func TestDamagedArchive(t *testing.T) {
	root, data := small("1", "2").mem(t), durabletest.NewMem()
	name := layout.Cycle(layout.RawDir, cycleID) + "/" + layout.RawAnswers
	must(t, root.Remove(name))
	must(t, durable.Create(root, name, durable.Bytes([]byte("rubbish"))))
	if _, err := run(root, data); !errors.Is(err, raw.ErrCorrupt) {
		t.Errorf("%v, want ErrCorrupt", err)
	}
}

// An interrupted run changes nothing.
func TestCancelled(t *testing.T) {
	root, data := small("1", "2").mem(t), durabletest.NewMem()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := transform.Run(ctx, options(root, data)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	if _, _, err := snapshot.OpenCanonical(root, cycleID); err == nil {
		t.Error("something was written")
	}
	if state, _ := health.Read(root, "transform"); state != nil {
		t.Errorf("state %+v", state)
	}
}

// Killed at every operation with a power cut: the cycle is missing or complete, everything
// acknowledged is there, and the next run ends with the same result as an uninterrupted
// one.
func TestKilledAtEveryOperation(t *testing.T) {
	w := small("1", "2")
	clean := w.mem(t)
	_, err := run(clean, durabletest.NewMem())
	must(t, err)
	want := files(t, clean, layout.CanonicalDir)
	for _, keep := range []float64{0, 0.5, 1} {
		for k := 1; ; k++ {
			root := w.mem(t)
			data := durabletest.NewMem()
			_, err := run(durabletest.Wrap(root, durabletest.KillAt(k)), data)
			after := root.PowerCut(keep, uint64(k))
			_, _, there := snapshot.OpenCanonical(after, cycleID)
			if err == nil && there != nil {
				t.Fatalf("keep %v, operation %d: acknowledged and gone: %v", keep, k, there)
			}
			_, again := run(after, data)
			must(t, again)
			if !maps.Equal(files(t, after.PowerCut(0, 1), layout.CanonicalDir), want) {
				t.Fatalf("keep %v, operation %d: the next run ends elsewhere", keep, k)
			}
			if err == nil {
				break
			}
		}
	}
}

func TestDiskFullAtEveryOperation(t *testing.T) {
	w := small("1")
	for k := 1; ; k++ {
		root, data := w.mem(t), durabletest.NewMem()
		_, err := run(durabletest.Wrap(root, durabletest.FullAt(k)), data)
		if err == nil {
			return
		}
		if !errors.Is(err, durable.ErrNoSpace) {
			t.Errorf("operation %d: %v, want ErrNoSpace", k, err)
		}
		if _, err := run(root, data); err != nil {
			t.Errorf("operation %d: after space was made: %v", k, err)
		}
	}
}

// panicking is an adapter that panics on one payload.
type panicking struct{ provider.MarketAdapter }

func (p panicking) ReadMarkets(payload provider.Payload, l provider.Listing) (provider.Sheet, error) {
	if strings.Contains(string(payload.Body), `"FI":"1"`) {
		panic("index out of range")
	}
	return p.MarketAdapter.ReadMarkets(payload, l)
}

func TestPanicCostsOnePayload(t *testing.T) {
	root, data := small("1", "2", "3").mem(t), durabletest.NewMem()
	o := options(root, data)
	o.Provider = func(name string) (provider.Provider, bool) {
		p, ok := all.Lookup(name)
		p.Markets = panicking{p.Markets}
		return p, ok
	}
	s, err := transform.Run(context.Background(), o)
	if err != nil || s.Broken != 1 || s.Fixtures != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// panickingLive panics on details, or on the list.
type panickingLive struct {
	provider.LiveAdapter
	list bool
}

func (p panickingLive) ReadDetail(provider.Payload) (provider.LiveSheet, error) {
	panic("index out of range")
}

func (p panickingLive) ReadList(pages []provider.Payload) (provider.LiveSheet, error) {
	if p.list {
		panic("index out of range")
	}
	return p.LiveAdapter.ReadList(pages)
}

// A panic on a detail affects only the detail, one on the list the cycle, and neither the
// process.
func TestPanicInLivePayload(t *testing.T) {
	for _, list := range []bool{false, true} {
		mem, k := newMem(), minutes(1)[0]
		k.views = []string{`{"id":"501","sport_id":"1","time_status":"1"}`}
		must(t, k.archive(mem))
		o := options(mem, mem)
		o.Product, o.Cycle = football.LiveIntelligence, k.id()
		o.Provider = func(name string) (provider.Provider, bool) {
			p, ok := all.Lookup(name)
			p.Live = panickingLive{p.Live, list}
			return p, ok
		}
		s, err := transform.Run(context.Background(), o)
		if list && !errors.Is(err, reading.ErrQuarantined) || !list && (err != nil || s.Fixtures != 2 || s.Live.Details != 0) {
			t.Errorf("over the list %v: %+v, %v", list, s, err)
		}
	}
}

// A fixture's row names the answer with its markets. One without markets has none, and so has a cycle whose
// first run did not record them, which must give the same rows again.
func TestAnswersAreNamed(t *testing.T) {
	w := small("1", "2", "3")
	w.sheets = w.sheets[:2]
	w.edit = func(c *raw.Cycle) { c.NotOffered = []string{"3"} }
	root := w.mem(t)
	_, err := run(root, durabletest.NewMem())
	must(t, err)
	want := map[string]string{"1": durable.Hash(w.sheets[0].Body), "2": durable.Hash(w.sheets[1].Body)}
	named := map[string]string{}
	for _, row := range rows[table.FixtureRow](t, root, layout.FixturesFile) {
		if row.AnswerSHA256 != nil {
			named[row.ProviderFixtureID] = *row.AnswerSHA256
		}
	}
	if !maps.Equal(named, want) {
		t.Errorf("answers %v, want %v", named, want)
	}

	was, _, err := snapshot.OpenCanonical(root, cycleID)
	must(t, err)
	delete(was.Tables["fixtures"].Columns, "answer_sha256")
	dir := layout.Cycle(layout.CanonicalDir, cycleID)
	must(t, root.Remove(dir+"/"+layout.CanonicalFile))
	_, err = snapshot.CreateManifest(root, dir, was)
	must(t, err)
	scratch := durabletest.NewMem()
	o := options(durable.Over{Above: scratch, Below: root}, durabletest.NewMem())
	o.Cycle = cycleID
	if _, err = transform.Rebuild(context.Background(), o, &was); err != nil && !errors.Is(err, durable.ErrDiffers) {
		t.Fatal(err)
	}
	made, _, err := snapshot.ReadManifest(scratch, dir+"/"+layout.CanonicalFile)
	must(t, err)
	if _, has := made.Tables["fixtures"].Columns["answer_sha256"]; has {
		t.Error("the answers of an older run were recorded")
	}
	for _, row := range rows[table.FixtureRow](t, durable.Over{Above: scratch, Below: root}, layout.FixturesFile) {
		if row.AnswerSHA256 != nil {
			t.Errorf("fixture %s names its answer", row.ProviderFixtureID)
		}
	}
}
