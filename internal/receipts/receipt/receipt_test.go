package receipt_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// A price of any publication has a receipt as soon as a later commit is logged, and the receipt says when.
func TestReceipts(t *testing.T) {
	w := newWorld(t, "both")
	first := w.publish(1, 2, 3)
	w.logNow()
	firstCosigned := w.now
	second := w.publish(1, 2, 3, 4, 5)
	third := w.publish(2, 3)
	_, _, err := receipt.Make(w.wanted(third, 2, mkA, slPrice))
	if !errors.Is(err, transparency.ErrNotLogged) {
		t.Errorf("before it is logged: %v", err)
	}
	w.logNow()
	secondCosigned := w.now
	fourth := w.publish(2)
	w.logNow()

	for _, of := range []struct {
		commit              snapshot.Commit
		fixture             int
		market, selection   string
		commits             int
		notBefore, notAfter time.Time
		says                string
	}{
		{first, 1, mkA, slPrice, 1, time.Time{}, firstCosigned, "price: decimal \"1.51\", fractional not sent, publishable; \"HOME\" (line none, qualifier none), \"" + slPrice + "\"\nmatch: not sent - \"Łódź <b>\", league \"\", kick-off not sent, \"" + fixtureID(1) + "\"\nmarket: "},
		{first, 2, mkA, slNull, 1, time.Time{}, firstCosigned, `; unnamed (line "+0.25", qualifier "ÄÖ"), "` + slNull + `"`},
		{second, 4, mkRaw, slPrice, 2, firstCosigned, secondCosigned, `match: "Fulham \"A\"\n\u2028" - null, league "", kick-off 2026-12-02T13:00:00.000Z, "` + fixtureID(4) + "\"\nmarket: RAW (not sent, period none), \"" + mkRaw + "\"\npublished: "},
		{third, 3, mkA, slNull, 1, firstCosigned, secondCosigned, `price: decimal null, fractional "1/2", not publishable ("ODDS_MISSING", "X"); `},
		{fourth, 2, mkA, slPrice, 1, secondCosigned, w.now, `decimal "1.54"`},
	} {
		data := w.make(w.wanted(of.commit, of.fixture, of.market, of.selection))
		got, err := receipt.Check(data, w.policy)
		if err != nil {
			t.Errorf("version %d: %v", of.commit.Version, err)
			continue
		}
		before := time.Time{}
		if got.NotBefore != nil {
			before = *got.NotBefore
		}
		if !got.Enough || len(got.Witnesses) != 2 || !before.Equal(of.notBefore) || !got.NotAfter.Equal(of.notAfter) || got.Version != of.commit.Version {
			t.Errorf("version %d: %+v, want after %s and before %s", of.commit.Version, got, of.notBefore, of.notAfter)
		}
		if r, err := receipt.Parse(data); err != nil || len(r.Commits) != of.commits {
			t.Errorf("version %d: %v, or not %d commits", of.commit.Version, err, of.commits)
		}
		if !strings.Contains(got.Says, of.says) {
			t.Errorf("version %d says %q, want %q in it", of.commit.Version, got.Says, of.says)
		}
		if !bytes.HasPrefix(data, []byte(`{"says": ["price: decimal `)) {
			t.Errorf("first line %.80s", data)
		}
	}
}

// A receipt can carry the provider's answer, if the publication names it.
func TestReceiptWithAnswer(t *testing.T) {
	w := newWorld(t, "any")
	c := w.publish(1, 2)
	w.logNow()
	of := w.wanted(c, 2, mkA, slPrice)
	of.Answer = func(sum string) ([]byte, error) { return answerOf(1, 2), nil }
	got, err := receipt.Check(w.make(of), w.policy)
	if err != nil || !got.Answer {
		t.Errorf("%+v, %v", got, err)
	}
	of.Answer = func(sum string) ([]byte, error) { return answerOf(1, 1), nil }
	if _, _, err := receipt.Make(of); !errors.Is(err, receipt.ErrInvalid) {
		t.Errorf("with another answer: %v", err)
	}
	of.Answer = func(sum string) ([]byte, error) { return nil, fs.ErrNotExist }
	if _, _, err := receipt.Make(of); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the answer: %v", err)
	}
	of.FixtureID = fixtureID(1) // which names none
	if got, err := receipt.Check(w.make(of), w.policy); err != nil || got.Answer {
		t.Errorf("without a name: %+v, %v", got, err)
	}
}

// A receipt that nobody could check is not made, and neither checker reads a file that is too large.
func TestLargeReceipts(t *testing.T) {
	needs.Time(t, "makes and checks receipts of 64 MiB")
	python, dir := needs.Python(t), t.TempDir()
	inPython := func(what, want string, data []byte, policy string) {
		t.Helper()
		check.Must(t, os.WriteFile(dir+"/receipt", data, 0o600))
		check.Must(t, os.WriteFile(dir+"/policy", []byte(policy), 0o600))
		out, _ := exec.CommandContext(t.Context(), python, "../../../docs/check_receipt.py", "--batch", dir+"/policy", dir+"/receipt").CombinedOutput()
		if !strings.HasPrefix(string(out), want) {
			t.Errorf("%s, in Python: %s", what, out)
		}
	}
	w := newWorld(t, "any")
	w.answer = bytes.Repeat([]byte("a"), receipt.MaxBytes/4*3-1<<20)
	c := w.publish(2)
	w.logNow()
	of := w.wanted(c, 2, mkA, slPrice)
	of.Answer = func(string) ([]byte, error) { return w.answer, nil }
	data := w.make(of)
	if got, err := receipt.Check(data, w.policy); err != nil || !got.Answer {
		t.Errorf("just small enough: %+v, %v", got, err)
	}
	inPython("just small enough", "ok ", data, w.text)
	long := w.text + "#" + strings.Repeat(" ", 1<<20)
	if _, err := transparency.ParsePolicy([]byte(long)); err == nil {
		t.Error("a policy that is too long is read")
	}
	inPython("a policy that is too long", "the policy cannot be read: it is too long", data, long)
	w.answer = bytes.Repeat([]byte("a"), receipt.MaxBytes/4*3)
	of.Commit = w.publish(2)
	w.logNow()
	if _, _, err := receipt.Make(of); !errors.Is(err, receipt.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	of.Answer = nil
	made, _, err := receipt.Make(of)
	check.Must(t, err)
	made.Answer = w.answer // the right one
	if _, err := receipt.Check(made.Encode(), w.policy); !errors.Is(err, receipt.ErrInvalid) || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("too large: %v", err)
	}
	inPython("too large", "no "+dir+"/receipt: it is too large", made.Encode(), w.text)
}

// Without witnesses a receipt says so first, and a policy that demands some is not satisfied.
func TestReceiptWithoutWitnesses(t *testing.T) {
	w := newWorld(t, "none")
	c := w.publish(1)
	w.logNow()
	data := w.make(w.wanted(c, 1, mkA, slPrice))
	got, err := receipt.Check(data, w.policy)
	if err != nil || !got.Enough || got.NotAfter != nil || !bytes.Contains(data, []byte("\n\"witnessed: by nobody, so that only the operator's word")) {
		t.Errorf("%+v, %v: %.80s", got, err, data)
	}
	demanding, err := transparency.ParsePolicy([]byte(newWorld(t, "any").text)) // its log has the same key
	check.Must(t, err)
	if got, err := receipt.Check(data, demanding); err != nil || got.Enough {
		t.Errorf("under a policy with witnesses: %+v, %v", got, err)
	}
}

// What cannot be proven has no receipt.
func TestNoReceipt(t *testing.T) {
	w := newWorld(t, "any")
	c := w.publish(1, 2)
	w.logNow()
	older := c
	older.FixturesRoot = ""
	match := w.tick(1, 2)
	olderMatch := match
	olderMatch.FixturesRoot = ""
	for _, of := range []struct {
		wanted receipt.Wanted
		want   error
	}{
		{w.wanted(c, 9, mkA, slPrice), receipt.ErrUnknown},
		{w.wanted(c, 1, mkEmpty, slPrice), receipt.ErrUnknown},
		{w.wanted(c, 1, mkA, "sl_other"), receipt.ErrUnknown},
		{w.wanted(older, 1, mkA, slPrice), receipt.ErrNoRoot},
		{w.wantedLive(match, 9), receipt.ErrUnknownMatch},
		{w.wantedLive(olderMatch, 1), receipt.ErrNoRoot},
	} {
		if _, _, err := receipt.Make(of.wanted); !errors.Is(err, of.want) {
			t.Errorf("%s %s %s: %v, want %v", of.wanted.FixtureID, of.wanted.MarketID, of.wanted.Selection, err, of.want)
		}
	}
	whole := w.data
	for _, name := range []string{c.Dir() + "/" + layout.ManifestFile, c.Dir() + "/" + layout.MarketsFile, layout.Commit(c.Version)} {
		w.data = whole.PowerCut(1, 0)
		w.data.Flip(name, 100)
		if _, _, err := receipt.Make(w.wanted(c, 1, mkA, slPrice)); err == nil {
			t.Errorf("%s is damaged, and has a receipt", name)
		}
	}
	w.data = whole
	c.SHA256 = durable.Hash([]byte("another"))
	w.publish(1)
	_, err := w.log.Append([]transparency.Record{{ClientID: "acme", Product: "market_engine", Version: 2, CommitSHA256: c.SHA256}})
	check.Must(t, err)
	head, _, err := snapshot.Head(w.data)
	check.Must(t, err)
	if _, _, err := receipt.Make(w.wanted(head, 1, mkA, slPrice)); !errors.Is(err, receipt.ErrRewritten) {
		t.Errorf("another commit in the log: %v", err)
	}
}

// A match of any live publication has a receipt with its rows of all tables, and nothing of the other matches.
func TestLiveReceipts(t *testing.T) {
	w := newWorld(t, "both")
	first := w.tick(1, 2, 3, 4)
	second := w.tick(2, 3)
	w.logOf(football.LiveIntelligence)
	for _, of := range []struct {
		commit  snapshot.Commit
		fixture int
		says    string
	}{
		{first, 2, `score: 2 - 1 in minute 67, second 5 (period "2H", stoppage time 0, clock running), in play, as seen at 2026-11-28T10:00:00.123Z
match: "Fulham \"A\"\n\u2028" - "Łódź <b>", league "", kick-off 2026-11-28T08:50:00.000Z, "` + fixtureID(2) + `"
momentum: 63 - 37; with 2 counters, 3 entries of the timeline, 2 minutes and 1 halves
published: 2026-11-28T10:00:02.000Z by the operator's clock, as publication 1 of dataset `},
		{second, 2, `score: 2 - 2 in minute 67`},
		{first, 1, `score: null - not sent in minute null, second null (period unknown, stoppage time not sent, clock null), not in play, as seen at 2026-11-28T10:00:00.123Z
match: not sent - "Łódź <b>", league null, kick-off not sent, "` + fixtureID(1) + `"
momentum: unavailable ("NO_SAMPLES"); with 0 counters, 0 entries of the timeline, 0 minutes and 0 halves
`},
		{second, 3, `), in play, as seen`},
	} {
		data := w.make(w.wantedLive(of.commit, of.fixture))
		got, err := receipt.Check(data, w.policy)
		if err != nil {
			t.Errorf("version %d: %v", of.commit.Version, err)
			continue
		}
		if !strings.Contains(got.Says, of.says) || !got.Enough || got.NotAfter == nil || got.Live == nil {
			t.Errorf("version %d says %q, want %q in it; %+v", of.commit.Version, got.Says, of.says, got)
		}
		w.cycles = int(of.commit.Version)
		w.now = start.Add(time.Duration(w.cycles) * time.Hour)
		want := w.match(of.fixture)
		want.Fixture.DetailRank, want.Fixture.ProviderFetchedAt = nil, time.Time{}
		if diff := cmp.Diff(&want, got.Live, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("version %d, match %d: %s", of.commit.Version, of.fixture, diff)
		}
		for n := range 5 {
			if other := fixtureID(n); n != of.fixture && bytes.Contains(data, []byte(other)) || bytes.Contains(got.Live.AppendContent(nil), []byte(other)) != (n == of.fixture) {
				t.Errorf("version %d, match %d: it has something of %s", of.commit.Version, of.fixture, other)
			}
		}
	}
}

// A live snapshot is deleted soon. Its canonical cycle, kept or made again, gives the receipt, but not with other rows.
func TestLiveReceiptOfCanonicalCycle(t *testing.T) {
	w := newWorld(t, "any")
	c := w.tick(1, 2, 3)
	w.logOf(football.LiveIntelligence)
	of := w.wantedLive(c, 2)
	want := w.make(of)
	check.Must(t, w.live.RemoveAll(c.Dir()))
	if got := w.make(of); !bytes.Equal(got, want) {
		t.Error("it has another receipt")
	}
	dir := layout.Cycle(layout.CanonicalDir, c.CycleID)
	m, _, err := snapshot.OpenCanonical(w.live, c.CycleID)
	check.Must(t, err)
	at := m.ProcessedAt.Add(time.Hour)
	m.ProcessedAt = &at
	check.Must(t, w.live.Remove(dir+"/"+layout.CanonicalFile))
	_, err = snapshot.CreateManifest(w.live, dir, m)
	check.Must(t, err)
	if got := w.make(of); !bytes.Equal(got, want) {
		t.Error("made again at another time, it has another receipt")
	}
	other := w.match(2)
	other.Fixture.ScoreHome = nil
	check.Must(t, w.live.RemoveAll(dir))
	check.Must(t, durable.MkdirAllSync(w.live, dir))
	m.Files = nil
	write(w, dir, layout.LiveFile, &m, []table.LiveRow{w.match(1).Fixture, other.Fixture, w.match(3).Fixture})
	write(w, dir, layout.LiveCountersFile, &m, other.Counters)
	write(w, dir, layout.LiveTimelineFile, &m, other.Timeline)
	write(w, dir, layout.LiveBucketsFile, &m, other.Buckets)
	write(w, dir, layout.LivePeriodsFile, &m, other.Periods)
	_, err = snapshot.CreateManifest(w.live, dir, m)
	check.Must(t, err)
	for n := 1; n <= 3; n++ { // also of those whose rows are the same
		if _, _, err := receipt.Make(w.wantedLive(c, n)); !errors.Is(err, receipt.ErrOtherRows) {
			t.Errorf("match %d, with other rows: %v", n, err)
		}
	}
	check.Must(t, w.live.RemoveAll(dir))
	if _, _, err := receipt.Make(of); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without both: %v", err)
	}
}

// An entry of one kind cannot stand for another, and neither can a receipt.
func TestKindsOfReceipts(t *testing.T) {
	w := newWorld(t, "any")
	c, k := w.publish(1, 2), w.tick(1, 2)
	w.logNow()
	w.logOf(football.LiveIntelligence)
	price, err := receipt.Parse(w.make(w.wanted(c, 2, mkA, slPrice)))
	check.Must(t, err)
	match, err := receipt.Parse(w.make(w.wantedLive(k, 2)))
	check.Must(t, err)
	for name, change := range map[string]func() *receipt.Receipt{
		"a price as a match": func() *receipt.Receipt { r := *price; r.Live = true; return &r },
		"a match as a price": func() *receipt.Receipt { r := *match; r.Live = false; return &r },
		"the entry as that of a price": func() *receipt.Receipt {
			r := *match
			r.Fixture = strings.Replace(r.Fixture, "mkt.live", "mkt.fixture", 1)
			return &r
		},
		"the rows of a price": func() *receipt.Receipt { r := *match; r.Content, r.Fixture = price.Content, price.Fixture; return &r },
		"the path of a price": func() *receipt.Receipt { r := *match; r.Path = price.Path; return &r },
		"the log of a price": func() *receipt.Receipt {
			r := *match
			r.Commits, r.Leaf, r.Proof, r.After = price.Commits, price.Leaf, price.Proof, price.After
			return &r
		},
	} {
		if got, err := receipt.Check(change().Encode(), w.policy); !errors.Is(err, receipt.ErrInvalid) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	data := bytes.Replace(match.Encode(), []byte("\"fixture\": "), []byte("\"market_id\": \"\",\n\"selection_id\": \"\",\n\"fixture\": "), 1)
	if got, err := receipt.Check(data, w.policy); !errors.Is(err, receipt.ErrInvalid) {
		t.Errorf("a match with an empty market: %+v, %v", got, err)
	}
}

// No bit of a receipt can be changed.
func TestFlippedBits(t *testing.T) {
	w := newWorld(t, "any") // one witness is enough: the other one's cosignature counts all the same
	w.publish(1, 2, 3)
	w.logNow()
	c := w.publish(1, 2, 3)
	w.publish(1)
	w.logNow()
	of := w.wanted(c, 2, mkA, slPrice)
	of.Answer = func(sum string) ([]byte, error) { return answerOf(2, 2), nil }
	flipped(t, w, w.make(of))
}

// No bit of a receipt of a match can be changed.
func TestFlippedBitsOfMatch(t *testing.T) {
	w := newWorld(t, "any")
	w.tick(1, 2, 3)
	w.logOf(football.LiveIntelligence)
	c := w.tick(1, 2, 3)
	w.logOf(football.LiveIntelligence)
	flipped(t, w, w.make(w.wantedLive(c, 2)))
}

func flipped(t *testing.T, w *world, data []byte) {
	t.Helper()
	random, n := rand.New(rand.NewPCG(1, 2)), 5000
	if !testing.Short() {
		n = 100_000
	}
	for range n {
		changed := bytes.Clone(data)
		at, bit := random.IntN(len(data)), random.IntN(8)
		changed[at] ^= 1 << bit
		if got, err := receipt.Check(changed, w.policy); err == nil {
			t.Fatalf("bit %d of byte %d (%.60q): %+v", bit, at, data[max(0, at-30):], got)
		}
	}
	t.Logf("%d flipped bits in a receipt of %d bytes", n, len(data))
}

func FuzzCheck(f *testing.F) {
	w := newWorld(f, "both")
	c := w.publish(1, 2)
	w.logNow()
	f.Add(w.make(w.wanted(c, 2, mkA, slPrice)))
	f.Add(w.make(w.wanted(c, 1, mkRaw, slPrice)))
	k := w.tick(1, 2)
	w.logOf(football.LiveIntelligence)
	f.Add(w.make(w.wantedLive(k, 2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := receipt.Check(data, w.policy); err != nil && !errors.Is(err, receipt.ErrInvalid) {
			t.Errorf("another error: %v", err)
		}
	})
}
