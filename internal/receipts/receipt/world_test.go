package receipt_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/receipts/witness"
	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

var start = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)

// Ids of markets and selections.
const (
	mkA     = "mk_a2222222222222222222222222"
	mkEmpty = "mk_empty222222222222222222222"
	mkRaw   = "mk_raw22222222222222222222222~second22"
	slPrice = "sl_price222222222222222222222"
	slNull  = "sl_null2222222222222222222222"
)

// fixtureID is the id of a fixture; they are in the order of the numbers.
func fixtureID(n int) string {
	return "fx_" + strings.Map(func(digit rune) rune { return digit - '0' + 'a' }, fmt.Sprintf("%026d", n))
}

// answerOf is the provider's answer that a fixture was read from in a cycle.
func answerOf(cycle, n int) []byte { return fmt.Appendf(nil, `{"cycle":%d,"fixture":%d}`, cycle, n) }

// world is a data root with one account, its log, and two witnesses behind HTTP.
type world struct {
	t       testing.TB
	data    *durabletest.Mem // the data root, and the account's markets
	live    *durabletest.Mem // its live intelligence
	key     *transparency.Key
	log     *transparency.Log
	policy  *transparency.Policy
	text    string   // of the policy
	private []string // keys of the log and of the witnesses
	older   string   // the text of the older checkpoint of the newest draft
	now     time.Time
	cycles  int
	answer  []byte                                 // of every fixture, in place of [answerOf]; nil for none
	more    func(fixture string) []table.MarketRow // of each fixture; may be nil

	changeMatch func(*content.LiveRows) // may be nil
}

func newWorld(t testing.TB, quorum string) *world {
	t.Helper()
	w := &world{t: t, data: durabletest.NewMem(), live: durabletest.NewMem(), now: start}
	random := rand.NewChaCha8([32]byte{1})
	private, err := transparency.NewKey(random, "example.com/prices")
	check.Must(t, err)
	key, err := transparency.ParseKey(private)
	check.Must(t, err)
	w.key, w.text, w.private = key, "log "+key.VerifierKey()+"\n", []string{strings.TrimSpace(string(private))}
	for _, name := range []string{"one", "two"} {
		private, _, err := note.GenerateKey(random, name+".example/w")
		check.Must(t, err)
		wit, err := witness.New(witness.Options{Root: durabletest.NewMem(), Key: private, Logs: []string{key.VerifierKey()}, Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler)})
		check.Must(t, err)
		server := httptest.NewServer(wit)
		t.Cleanup(server.Close)
		w.private = append(w.private, private)
		w.text += "witness " + name + " " + wit.VerifierKey() + " " + server.URL + "\n"
	}
	switch quorum {
	case "both":
		w.text += "group both all one two\nquorum both\n"
	case "any":
		w.text += "group any any one two\nquorum any\n"
	default:
		w.text = "log " + key.VerifierKey() + "\nquorum none\n"
	}
	w.policy, err = transparency.ParsePolicy([]byte(w.text))
	check.Must(t, err)
	w.log, err = transparency.Open(w.data, key)
	check.Must(t, err)
	t.Cleanup(func() { w.log.Close() })
	return w
}

func text(s string) *string { return &s }

// publish publishes a cycle with the fixtures, whose prices are of the cycle.
func (w *world) publish(fixtures ...int) snapshot.Commit {
	w.t.Helper()
	w.cycles++
	w.now = start.Add(time.Duration(w.cycles) * time.Hour)
	id := layout.NewCycleID(w.now, string(football.MarketEngine))
	dir, processed := layout.Cycle(layout.CanonicalDir, id), w.now.Add(time.Second)
	check.Must(w.t, durable.MkdirAllSync(w.data, dir))
	m := snapshot.Manifest{Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: "acme", Product: football.MarketEngine, CycleID: id, Provider: "betsapi",
		ProviderFetchedAt: &w.now, ProcessedAt: &processed, IDKeyFingerprint: "key", ListingComplete: true, Tables: map[string]snapshot.Table{}}
	var rows []table.FixtureRow
	var markets []table.MarketRow
	var listing []table.ListingRow
	for _, n := range fixtures {
		fixture, of := w.fixture(n)
		rows, markets = append(rows, fixture), append(markets, of...)
		listing = append(listing, table.ListingRow{FixtureID: fixture.FixtureID, Status: "LISTED", Markets: "REFRESHED"})
	}
	write(w, dir, layout.FixturesFile, &m, rows)
	write(w, dir, layout.MarketsFile, &m, markets)
	write(w, dir, layout.ListingFile, &m, listing)
	_, err := snapshot.CreateManifest(w.data, dir, m)
	check.Must(w.t, err)
	_, err = publish.Run(context.Background(), publish.Options{ClientID: "acme", Product: football.MarketEngine, Root: w.data, RunID: fmt.Sprint("run-", w.cycles),
		AcceptRemovals: true, Now: func() time.Time { return w.now.Add(2 * time.Second) }})
	check.Must(w.t, err)
	c, _, err := snapshot.Head(w.data)
	check.Must(w.t, err)
	return c
}

// tick publishes a live cycle with the fixtures, whose rows are of the cycle.
func (w *world) tick(fixtures ...int) snapshot.Commit {
	w.t.Helper()
	w.cycles++
	w.now = start.Add(time.Duration(w.cycles) * time.Hour)
	id := layout.NewCycleID(w.now, string(football.LiveIntelligence))
	dir, processed := layout.Cycle(layout.CanonicalDir, id), w.now.Add(time.Second)
	check.Must(w.t, durable.MkdirAllSync(w.live, dir))
	m := snapshot.Manifest{Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: "acme", Product: football.LiveIntelligence, CycleID: id, Provider: "betsapi",
		ProviderFetchedAt: &w.now, ProcessedAt: &processed, IDKeyFingerprint: "key", ListingComplete: true, Tables: map[string]snapshot.Table{}}
	var all content.LiveRows
	var rows []table.LiveRow
	var entries []snapshot.FixtureEntry
	for _, n := range fixtures {
		match := w.match(n)
		if w.changeMatch != nil {
			w.changeMatch(&match)
		}
		entry, _ := snapshot.LiveEntryOf(&match, nil)
		entries, rows = append(entries, entry), append(rows, match.Fixture)
		all.Counters, all.Timeline = append(all.Counters, match.Counters...), append(all.Timeline, match.Timeline...)
		all.Buckets, all.Periods = append(all.Buckets, match.Buckets...), append(all.Periods, match.Periods...)
	}
	m.FixturesRoot = snapshot.FixturesRoot(entries)
	write(w, dir, layout.LiveFile, &m, rows)
	write(w, dir, layout.LiveCountersFile, &m, all.Counters)
	write(w, dir, layout.LiveTimelineFile, &m, all.Timeline)
	write(w, dir, layout.LiveBucketsFile, &m, all.Buckets)
	write(w, dir, layout.LivePeriodsFile, &m, all.Periods)
	_, err := snapshot.CreateManifest(w.live, dir, m)
	check.Must(w.t, err)
	_, err = publish.Run(context.Background(), publish.Options{ClientID: "acme", Product: football.LiveIntelligence, Root: w.live, RunID: fmt.Sprint("run-", w.cycles),
		Now: func() time.Time { return w.now.Add(2 * time.Second) }})
	check.Must(w.t, err)
	c, _, err := snapshot.Head(w.live)
	check.Must(w.t, err)
	return c
}

// withdraw adds ids, a revision and withdrawn entries: one in which every column has a value, and one without any
// that may lack.
func withdraw(l *content.LiveRows) {
	f, whole := &l.Fixture, func(n int32) *int32 { return &n }
	for i := range l.Timeline {
		l.Timeline[i].EntryID = text(fmt.Sprint("en_0abc-", i))
	}
	f.TimelineRevision = whole(28_800_000)
	f.Withdrawn = []table.WithdrawnRow{
		{EntryID: "en_0abc-5", State: "GOAL", SideProven: "HOME", Minute: whole(45), Second: whole(0), Added: whole(2), At: f.At, ShownFrom: f.At.Add(-time.Minute), WithdrawnAt: f.At, Reason: "REPLACED", ReplacedBy: text("en_0abc-2")},
		{EntryID: "en_0abc-s", State: "STALE", SideProven: "NONE", At: f.At, ShownFrom: f.At, WithdrawnAt: f.At, Reason: "COUNTER_FELL"}}
}

// match is a match in play. With an even number it has rows of every kind, and else only its row, with columns
// that are null and absent.
func (w *world) match(n int) (l content.LiveRows) {
	at, whole := w.now.Add(123*time.Millisecond), func(n int) *int32 { v := int32(n); return &v }
	l.Fixture = table.LiveRow{FixtureID: fixtureID(n), Away: text("Łódź <b>"), InPlay: true, At: at, FreshAt: at, SourceProvider: "betsapi", ProviderFixtureID: fmt.Sprint(n),
		ProviderFetchedAt: at.Add(time.Second), UnavailableReason: text("NO_SAMPLES"), DetailRank: whole(n), Absent: []string{"home", "clock_added", "score_away", "starts_at"}}
	if n%2 == 1 {
		l.Fixture.InPlay = n%3 == 0
		return l
	}
	kickOff, stale, running, zero := w.now.Add(-70*time.Minute), at.Add(time.Minute), true, 0.0
	f := &l.Fixture
	f.Home, f.League, f.StartsAt, f.StaleAt, f.Absent, f.UnavailableReason = text("Fulham \"A\"\n\u2028"), text(""), &kickOff, &stale, nil, nil
	f.ClockPeriod, f.ClockMinute, f.ClockSecond, f.ClockAdded, f.ClockRunning = text("2H"), whole(67), whole(5), whole(0), &running
	f.ScoreHome, f.ScoreAway, f.MomentumHome, f.MomentumAway = whole(2), whole(w.cycles), whole(63), whole(37)
	l.Counters = []table.LiveCounterRow{
		{FixtureID: f.FixtureID, Metric: "attacks", State: "ZERO", HomeText: text("0"), Home: &zero, Absent: []string{"away"}}, {FixtureID: f.FixtureID, Metric: "corners", State: "NULL"}}
	for i := range 3 {
		l.Timeline = append(l.Timeline, table.LiveTimelineRow{FixtureID: f.FixtureID, Ordinal: int32(i), At: kickOff, Half: whole(1), Minute: whole(i), State: "CALM", Certainty: "INFERRED", SideProven: "NONE", Until: at})
	}
	l.Buckets = []table.LiveBucketRow{{FixtureID: f.FixtureID, Minute: 1, State: "MISSING"}, {FixtureID: f.FixtureID, Minute: 45, Added: 2, State: "VALUE", Home: whole(0), Away: whole(7)}}
	l.Periods = []table.LivePeriodRow{{FixtureID: f.FixtureID, Half: 1, State: "MISSING", Minutes: whole(2), Known: whole(1), KnownHome: whole(0), KnownAway: whole(7)}}
	return l
}

func (w *world) rootOf(p football.Product) *durabletest.Mem {
	if p == football.LiveIntelligence {
		return w.live
	}
	return w.data
}

func write[T table.Row](w *world, dir, name string, m *snapshot.Manifest, rows []T) {
	w.t.Helper()
	file, err := snapshot.CreateFile(w.rootOf(m.Product), dir, name, func(out io.Writer) error {
		tw := table.NewWriter[T](out, table.Header{ClientID: "acme", Product: string(m.Product), CycleID: string(m.CycleID), Provider: "betsapi"})
		if err := tw.Write(rows...); err != nil {
			return err
		}
		sum, err := tw.Close()
		m.Tables[snapshot.TableKey(name)] = sum
		return err
	})
	check.Must(w.t, err)
	m.Files = append(m.Files, file)
}

// fixture is a fixture with three markets, in which prices and names have each of their states.
func (w *world) fixture(n int) (table.FixtureRow, []table.MarketRow) {
	id := fixtureID(n)
	kickOff := start.Add(100 * time.Hour)
	answer := w.answer
	if answer == nil {
		answer = answerOf(w.cycles, n)
	}
	sum := durable.Hash(answer)
	row := table.FixtureRow{FixtureID: id, Home: text("Fulham \"A\"\n\u2028"), League: text(""), StartsAt: &kickOff, MarketCount: 3, SourceProvider: "betsapi", ProviderFixtureID: fmt.Sprint(n),
		ProviderFetchedAt: w.now.Add(123 * time.Millisecond), AnswerSHA256: &sum}
	if n%2 == 1 {
		row.StartsAt, row.Away, row.Absent, row.AnswerSHA256 = nil, text("Łódź <b>"), []string{"home", "starts_at"}, nil
		row.Home = nil
	}
	odds := float64(150+w.cycles) / 100
	price := table.SelectionRow{SelectionID: slPrice, Selection: text("HOME"), OddsDecimalText: text(fmt.Sprintf("%.2f", odds)), OddsDecimal: &odds, QualityStatus: "OK", Publishable: true,
		Absent: []string{"odds_fractional"}, ProviderSelectionID: text("7"), Labels: []table.LabelRow{{Field: "name", Text: "1"}, {Field: "header", Text: ""}}}
	null := table.SelectionRow{SelectionID: slNull, Line: text("+0.25"), Qualifier: text("ÄÖ"), QualityStatus: "SUSPECT", Reasons: []string{"ODDS_MISSING", "X"}, OddsFractional: text("1/2")}
	market := func(id string, name *string, selections ...table.SelectionRow) table.MarketRow {
		return table.MarketRow{FixtureID: row.FixtureID, MarketID: id, Market: name, MarketName: text("Full Time Result"), Period: text("FT"), Sections: []string{"main", "asian"}, OriginType: "MAPPED",
			DerivationVersion: "s9", SelectionCount: int32(len(selections)), ProviderMarketIDs: []string{"40"}, ProviderMarketKey: "k", Selections: selections}
	}
	raw := market(mkRaw, nil, price)
	raw.MarketName, raw.Period, raw.Absent, raw.OriginType = nil, nil, []string{"market_name"}, "RAW"
	markets := []table.MarketRow{market(mkA, text("MATCH_RESULT"), price, null), market(mkEmpty, text("X")), raw}
	if w.more != nil {
		markets = append(markets, w.more(id)...)
		slices.SortFunc(markets, func(a, b table.MarketRow) int { return strings.Compare(a.MarketID, b.MarketID) })
		row.MarketCount = int32(len(markets))
	}
	row.ContentDigest = content.Digest(row, markets)
	return row, markets
}

// logNow logs the newest commit of the markets, and asks the witnesses.
func (w *world) logNow() {
	w.t.Helper()
	w.logOf(football.MarketEngine)
}

func (w *world) logOf(p football.Product) {
	w.t.Helper()
	c, _, err := snapshot.Head(w.rootOf(p))
	check.Must(w.t, err)
	w.now = w.now.Add(time.Minute)
	_, err = w.log.Append([]transparency.Record{{ClientID: "acme", Product: string(p), HistoryID: c.HistoryID, Version: c.Version, CommitSHA256: c.SHA256, PublishedAt: c.PublishedAt}})
	check.Must(w.t, err)
	w.cosign()
}

func (w *world) cosign() {
	w.t.Helper()
	w.now = w.now.Add(10 * time.Second)
	_, states, err := w.log.Cosign(context.Background(), post, w.policy, func() time.Time { return w.now })
	check.Must(w.t, err)
	for _, s := range states {
		if s.Error != "" {
			w.t.Fatalf("witness %s: %s", s.Name, s.Error)
		}
	}
}

func post(ctx context.Context, url string, body []byte) (int, []byte, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	return a.StatusCode, answer, err
}

// commit returns a publication of the markets.
func (w *world) commit(version uint64) snapshot.Commit {
	c, err := snapshot.ReadCommit(w.data, version)
	check.Must(w.t, err)
	return c
}

func (w *world) wanted(c snapshot.Commit, n int, market, selection string) receipt.Wanted {
	return receipt.Wanted{Root: w.data, Data: w.data, ClientID: "acme", Product: football.MarketEngine, Commit: c,
		FixtureID: fixtureID(n), MarketID: market, Selection: selection, Policy: w.policy}
}

func (w *world) wantedLive(c snapshot.Commit, n int) receipt.Wanted {
	return receipt.Wanted{Root: w.live, Data: w.data, ClientID: "acme", Product: football.LiveIntelligence, Commit: c, FixtureID: fixtureID(n), Policy: w.policy}
}

func (w *world) make(of receipt.Wanted) []byte {
	w.t.Helper()
	r, _, err := receipt.Make(of)
	check.Must(w.t, err)
	return r.Encode()
}
