package requests_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/serve/requests"
)

var (
	must  = check.Must
	start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fx    = "fx_" + strings.Repeat("a", 26)
	mk    = "mk_" + strings.Repeat("b", 26) + "~" + strings.Repeat("c", 8)
)

// logOf returns a log of a folder, under the name of a replica.
func logOf(f durable.FS, replica string, edit func(*requests.Options)) *requests.Log {
	o := requests.Options{Disk: f, Name: func() (string, error) { return replica, nil }, Known: func(string) bool { return true },
		Now: func() time.Time { return start }, Log: slog.New(slog.DiscardHandler)}
	if edit != nil {
		edit(&o)
	}
	return requests.New(o)
}

func disk(t testing.TB) (*durable.Disk, string) {
	dir := filepath.Join(t.TempDir(), requests.Folder)
	d, err := durable.OpenUnsynced(dir)
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d, dir
}

// read returns what is kept of an account, which must not be damaged.
func read(t testing.TB, f durable.ReadFS, clientID string) []requests.Record {
	t.Helper()
	list, damage, err := requests.Read(f, clientID)
	if damage != nil || err != nil {
		t.Fatal(damage, err)
	}
	return list
}

// sample is a request that is told from others by its number.
func sample(n int, refused bool) requests.Record {
	r := requests.Record{At: start.Add(time.Duration(n) * time.Millisecond), ID: fmt.Sprint("req-", n), Route: "/fixtures/{id}", Fixture: fx, Status: 200, MS: 0.4, Product: "market_engine", Version: 3}
	if refused {
		r.Status, r.Code, r.Message, r.Fixture = 404, "FIXTURE_NOT_FOUND", `it has "code":"x" and <&>`, ""
	}
	return r
}

// Whatever is added, in whatever portions it is written, and however often the process is started
// again: the newest of each kind are kept, as they were, of each account for itself.
func TestNewestAreKept(t *testing.T) {
	d, _ := disk(t)
	random := rand.New(rand.NewPCG(1, 2))
	kept := map[string]map[bool][]requests.Record{}
	l := logOf(d, "web", nil)
	for n := range 3000 {
		id, refused := []string{"acme", "acme-2", "other"}[random.IntN(3)], random.IntN(8) == 0
		r := sample(n, refused)
		l.Add(id, r)
		r.Replica = "web"
		if kept[id] == nil {
			kept[id] = map[bool][]requests.Record{}
		}
		kept[id][refused] = append(kept[id][refused], r)
		switch random.IntN(100) {
		case 0:
			l.Flush()
		case 1:
			l.Flush()
			l = logOf(d, "web", nil)
		}
	}
	l.Flush()
	for id, kinds := range kept {
		var want []requests.Record
		for _, list := range kinds {
			want = append(want, list[max(0, len(list)-requests.Kept):]...)
		}
		slices.SortFunc(want, func(a, b requests.Record) int { return b.At.Compare(a.At) })
		if got := read(t, d, id); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d requests, want %d", id, len(got), len(want))
		}
	}
}

// Goroutines add at once while files are written; every record is kept or was pushed out by newer ones.
func TestAddAtOnce(t *testing.T) {
	d, _ := disk(t)
	l := logOf(d, "web", nil)
	var adding sync.WaitGroup
	for g := range 8 {
		adding.Go(func() {
			for n := range 500 {
				l.Add([]string{"acme", "other"}[g%2], sample(n, n%2 == 0))
				if n%100 == 99 {
					l.Flush()
				}
			}
		})
	}
	adding.Wait()
	l.Flush()
	for _, id := range []string{"acme", "other"} {
		if got := len(read(t, d, id)); got != 2*requests.Kept {
			t.Errorf("%s: %d requests", id, got)
		}
	}
}

func TestReplicas(t *testing.T) {
	d, _ := disk(t)
	for n, replica := range []string{"web-0", "web-1"} {
		l := logOf(d, replica, nil)
		l.Add("acme", sample(n, false))
		l.Flush()
	}
	got := read(t, d, "acme")
	if len(got) != 2 || got[0].Replica != "web-1" || got[1].Replica != "web-0" || got[0].ID != "req-1" {
		t.Errorf("%+v", got)
	}
	if found, err := requests.Find(d, "req-0"); err != nil || len(found) != 1 || found[0].ClientID != "acme" || found[0].ID != "req-0" {
		t.Errorf("found %+v, %v", found, err)
	}
	for _, none := range []string{"req-2", "", `req-0"`, "req"} {
		if found, err := requests.Find(d, none); err != nil || len(found) != 0 {
			t.Errorf("%q: found %+v, %v", none, found, err)
		}
	}
}

// Only ids of the service's form are kept.
func TestCleanRecords(t *testing.T) {
	d, _ := disk(t)
	l := logOf(d, "web", nil)
	l.Add("acme", requests.Record{At: start, ID: "1", Route: "/fixtures/{id}/markets/{market_id}", Status: 200, Fixture: fx, Market: mk})
	l.Add("acme", requests.Record{At: start, ID: "2", Route: "/fixtures/{id}/markets/{market_id}", Status: 200, Fixture: "mkt_secret", Market: "TOTAL_GOALS"})
	l.Add("", sample(4, false))
	l.Flush()
	paths := map[string]string{}
	for _, r := range read(t, d, "acme") {
		paths[r.ID] = r.Path()
	}
	none := "/fixtures/{id}/markets/{market_id}"
	if want := map[string]string{"1": "/fixtures/" + fx + "/markets/" + mk, "2": none}; !reflect.DeepEqual(paths, want) {
		t.Errorf("%q", paths)
	}
	var nobody *requests.Log
	nobody.Add("acme", sample(1, false))
}

// Damage is reported, and the rest is read. The next requests begin a damaged file anew, or leave
// damaged lines where they are.
func TestDamage(t *testing.T) {
	d, dir := disk(t)
	l := logOf(d, "web", nil)
	for n := range 3 {
		l.Add("acme", sample(n, false))
	}
	l.Flush()
	name := filepath.Join(dir, "acme.web.jsonl")
	whole, err := os.ReadFile(name)
	must(t, err)
	for what, c := range map[string]struct {
		content []byte
		left    int
	}{
		"a cut line":     {whole[:len(whole)-20], 2},
		"a line of text": {append(bytes.Clone(whole), "text\n"...), 3},
		"other format":   {append([]byte(`{"format":2}`+"\n"), whole...), 0},
		"empty":          {nil, 0},
		"too large":      {append(bytes.Clone(whole), make([]byte, 1<<20)...), 0},
	} {
		must(t, os.WriteFile(name, c.content, 0o600))
		if list, damage, err := requests.Read(d, "acme"); len(list) != c.left || damage == nil || err != nil || !strings.Contains(damage.Error(), "acme.web.jsonl") {
			t.Errorf("%s: %d requests, damage %v, error %v", what, len(list), damage, err)
		}
		l.Add("acme", sample(9, false))
		l.Flush()
		if list, _, _ := requests.Read(d, "acme"); len(list) != c.left+1 || list[0].ID != "req-9" {
			t.Errorf("%s, and then one more: %+v", what, list)
		}
	}
}

// While nothing can be written, that is logged once. The records that are kept are written later.
func TestFullDisk(t *testing.T) {
	d, _ := disk(t)
	full := true
	var log bytes.Buffer
	l := logOf(durabletest.Wrap(d, func(op durabletest.Op) error {
		if full && op.Kind == durabletest.Write {
			return durable.NoSpace("write", op.Name)
		}
		return nil
	}), "web", func(o *requests.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for n := range 5 {
		l.Add("acme", sample(n, false))
		l.Flush()
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("it is logged %d times: %s", n, log.String())
	}
	full = false
	l.Flush()
	if got := read(t, d, "acme"); len(got) != 5 {
		t.Errorf("%d requests are left", len(got))
	}
	if entries, err := d.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// While nothing can be written, the requests of many accounts do not fill the memory.
func TestFullDiskOfManyAccounts(t *testing.T) {
	d, _ := disk(t)
	full := true
	l := logOf(durabletest.Wrap(d, func(op durabletest.Op) error {
		if full && op.Kind == durabletest.Write {
			return durable.NoSpace("write", op.Name)
		}
		return nil
	}), "web", nil)
	const accounts = 200
	for a := range accounts {
		for n := range requests.Kept {
			l.Add(fmt.Sprint("acme-", a), sample(n, false))
		}
	}
	l.Flush()
	full = false
	l.Flush()
	kept := 0
	for a := range accounts {
		kept += len(read(t, d, fmt.Sprint("acme-", a)))
	}
	if kept < 10_000 || kept > 20_000 {
		t.Errorf("%d of %d requests waited", kept, accounts*requests.Kept)
	}
}

// Files that take long to write do not take all the time of the machine.
func TestFlushesArePaused(t *testing.T) {
	d, _ := disk(t)
	synctest.Test(t, func(t *testing.T) {
		flushes := 0
		l := logOf(durabletest.Wrap(d, func(op durabletest.Op) error {
			if op.Kind == durabletest.Write {
				flushes++
				time.Sleep(10 * time.Second)
			}
			return nil
		}), "web", func(o *requests.Options) { o.Now = time.Now })
		ctx, cancel := context.WithCancel(t.Context())
		go l.Run(ctx)
		for range 600 {
			l.Add("acme", sample(1, false))
			time.Sleep(time.Second)
		}
		cancel()
		synctest.Wait()
		time.Sleep(time.Minute)
		if flushes < 5 || flushes > 8 {
			t.Errorf("it was written %d times in ten minutes", flushes)
		}
	})
}

// The file of a deleted account does not come back, and unused ones go.
func TestRemoval(t *testing.T) {
	d, dir := disk(t)
	known, now := true, time.Now()
	l := logOf(d, "web", func(o *requests.Options) {
		o.Known = func(id string) bool { return id != "acme" || known }
		o.Now = func() time.Time { return now }
	})
	l.Add("acme", sample(1, false))
	known = false
	l.Flush()
	if got := read(t, d, "acme"); len(got) != 0 {
		t.Errorf("a deleted account has %+v", got)
	}
	for name, age := range map[string]time.Duration{"old.gone.jsonl": 8, "old.gone.jsonl.tmp0": 8, "new.gone.jsonl": 6, "strange.txt": 8} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		must(t, os.Chtimes(filepath.Join(dir, name), now, now.Add(-age*24*time.Hour)))
	}
	now = now.Add(2 * time.Hour)
	l.Flush()
	var left []string
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"new.gone.jsonl", "strange.txt"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

func BenchmarkAdd(b *testing.B) {
	d, _ := disk(b)
	l := logOf(d, "web", nil)
	r := sample(1, false)
	b.ReportAllocs()
	for b.Loop() {
		l.Add("acme", r)
	}
}

func BenchmarkFlush(b *testing.B) {
	d, _ := disk(b)
	l := logOf(d, "web", nil)
	for b.Loop() {
		b.StopTimer()
		for n := range 2 * requests.Kept {
			l.Add("acme", sample(n, n%2 == 0))
		}
		b.StartTimer()
		l.Flush()
	}
}

// Whatever a file holds is read as records or reported as damaged, and the next record is added to it.
func FuzzFile(f *testing.F) {
	f.Add([]byte("{\"format\":1}\n{\"at\":\"2026-11-20T12:00:00Z\",\"request_id\":\"req_a\",\"route\":\"/fixtures\",\"status\":200,\"ms\":1}\n"))
	f.Add([]byte("{\"format\":1}\nnull\n[]\n{\"code\":\"NOT_FOUND\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := durabletest.NewMem()
		must(t, durable.Create(d, "acme.one.jsonl", durable.Bytes(data)))
		_, _, err := requests.Read(d, "acme")
		must(t, err)
		_, err = requests.Find(d, "req_a")
		must(t, err)
		l := logOf(d, "one", func(o *requests.Options) { o.Now = func() time.Time { return time.Time{} } }) // nothing is old, and removed
		l.Add("acme", requests.Record{At: start, ID: "req_new", Route: "/status", Status: 200})
		l.Flush()
		list, _, err := requests.Read(d, "acme")
		must(t, err)
		if len(list) > 2*requests.Kept || !slices.ContainsFunc(list, func(r requests.Record) bool { return r.ID == "req_new" }) {
			t.Errorf("%d records, without the new one", len(list))
		}
	})
}
