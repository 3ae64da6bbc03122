package raw_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

var (
	start = time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)
	first = layout.NewCycleID(start, string(football.MarketEngine))
)

func header() raw.Cycle {
	return raw.Cycle{
		ClientID: "acme", Product: football.MarketEngine, Provider: "betsapi",
		StartedAt: start, FinishedAt: start.Add(time.Minute), Outcome: raw.Complete,
		ListingComplete: true, Requests: 3, Counters: map[string]int64{"listed": 2},
	}
}

func answer(page string) raw.Response {
	return raw.Response{
		Endpoint: "bet365/upcoming", Path: "/v1/bet365/upcoming", Query: url.Values{"page": {page}},
		Attempt: 1, Status: 200, Header: map[string]string{"Content-Type": "application/json"}, FetchedAt: start.Add(time.Second),
	}
}

func create(t *testing.T, fsys durable.FS, id layout.CycleID, scrub raw.Scrub) *raw.Writer {
	t.Helper()
	w, err := raw.Create(fsys, id, scrub)
	must(t, err)
	return w
}

func TestWhatIsArchivedIsReadBack(t *testing.T) {
	fsys := disk(t)
	w := create(t, fsys, first, nil)
	bodies := [][]byte{[]byte(`{"success":1}`), {}, bytes.Repeat([]byte("odds "), 300_000), {0, 1, 2, 255}}
	for i, body := range bodies {
		_, err := w.Add(answer(fmt.Sprint(i+1)), body)
		must(t, err)
	}
	rejected, err := w.Reject(answer("9"), "HTML", []byte("<html>"))
	must(t, err)
	sealed, err := w.Seal(header())
	must(t, err)

	a, err := raw.Open(fsys, first)
	must(t, err)
	if diff := cmp.Diff(sealed, a.Cycle()); diff != "" {
		t.Errorf("header (-sealed +read):\n%s", diff)
	}
	list := a.Responses()
	if len(list) != len(bodies)+1 {
		t.Fatalf("%d responses, want %d", len(list), len(bodies)+1)
	}
	for i, body := range bodies {
		p, err := a.Payload(list[i])
		must(t, err)
		if p.Number != i+1 || !bytes.Equal(p.Body, body) || !p.FetchedAt.Equal(start.Add(time.Second)) || p.Query.Get("page") != fmt.Sprint(i+1) {
			t.Errorf("payload %d: number %d, %d bytes, fetched %v, query %v", i+1, p.Number, len(p.Body), p.FetchedAt, p.Query)
		}
	}
	if diff := cmp.Diff(rejected, list[len(bodies)], cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rejected entry (-written +read):\n%s", diff)
	}
	if _, err := a.Payload(rejected); err == nil {
		t.Error("a rejected answer is given as a payload")
	}
	if body, err := a.Body(rejected); err != nil || string(body) != "<html>" {
		t.Errorf("rejected body: %q, %v", body, err)
	}
}

// The header's lists of fixtures are sorted and unique; others are refused when read.
func TestHeaderLists(t *testing.T) {
	mem := durabletest.NewMem()
	w := create(t, mem, first, nil)
	c := header()
	c.Failed, c.NotOffered = []string{"9", "10", "9"}, []string{"3", "1", "2", "2"}
	_, err := w.Seal(c)
	must(t, err)
	a, err := raw.Open(mem, first)
	must(t, err)
	if got := a.Cycle(); strings.Join(got.Failed, " ") != "10 9" || strings.Join(got.NotOffered, " ") != "1 2 3" {
		t.Errorf("failed %v, not offered %v", got.Failed, got.NotOffered)
	}
	for _, list := range [][]string{{"1", "1"}, {"2", "1"}} {
		for _, edit := range []func(*raw.Cycle){func(c *raw.Cycle) { c.Failed = list }, func(c *raw.Cycle) { c.NotOffered = list }} {
			c := a.Cycle()
			if edit(&c); c.Validate() == nil {
				t.Errorf("accepted: failed %v, not offered %v", c.Failed, c.NotOffered)
			}
		}
	}
}

func TestManyWritersOneArchive(t *testing.T) {
	fsys := durabletest.NewMem()
	w := create(t, fsys, first, nil)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			r, err := w.Add(answer(fmt.Sprint(i)), []byte(fmt.Sprint("body ", i)))
			if err != nil || r.Number == 0 {
				t.Errorf("add %d: %v", i, err)
			}
		})
	}
	all.Wait()
	_, err := w.Seal(header())
	must(t, err)
	a, err := raw.Open(fsys, first)
	must(t, err)
	for i, r := range a.Responses() {
		body, err := a.Body(r)
		if r.Number != i+1 || err != nil || string(body) != "body "+r.Query.Get("page") {
			t.Fatalf("entry %d: number %d, body %q, %v", i, r.Number, body, err)
		}
	}
}

// No archive contains the credential of its run, wherever the answer repeats it.
func TestSecretsAreMasked(t *testing.T) {
	const canary = "CANARY-1234567890"
	scrub := func(b []byte) ([]byte, bool) {
		return bytes.ReplaceAll(b, []byte(canary), []byte("[redacted]")), bytes.Contains(b, []byte(canary))
	}
	mem := durabletest.NewMem()
	w := create(t, mem, first, scrub)
	if _, err := w.Add(answer("1"), []byte(`{"you sent":"`+canary+`"}`)); !errors.Is(err, raw.ErrSecret) {
		t.Errorf("an accepted answer with the credential: %v, want ErrSecret", err)
	}
	r := answer(canary)
	r.Header = map[string]string{"X-Echo": canary}
	long := strings.Repeat(".", raw.MaxRejected-5) + canary // the limit would cut it in the middle
	r, err := w.Reject(r, "said "+canary, []byte(long))
	must(t, err)
	if !r.Truncated || r.Bytes != raw.MaxRejected {
		t.Errorf("rejected: %d bytes, truncated %v", r.Bytes, r.Truncated)
	}
	_, err = w.Seal(header())
	must(t, err)
	a, err := raw.Open(mem, first)
	must(t, err)
	body, err := a.Body(r)
	must(t, err)
	list, err := durable.ReadFile(mem, layout.Cycle(layout.RawDir, first)+"/"+layout.RawFetchFile, 1<<20)
	must(t, err)
	if bytes.Contains(body, []byte("CANARY"[:5])) || bytes.Contains(list, []byte("CANARY")) {
		t.Errorf("the credential is in the archive: %s", list)
	}
}

// A rejected body that cannot be searched for the credential is not kept.
func TestRejectedBodiesAreText(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, strings.Repeat("<p>token 96142-7b29b533097f1a</p>", 20))
	must(t, z.Close())
	utf16 := strings.Join(strings.Split(`{"token":"96142"}`, ""), "\x00")
	for name, c := range map[string]struct {
		body string
		kept bool
	}{
		"JSON":             {`{"success":0,"error":"INVALID"}`, true},
		"a page":           {"<html>\r\n\t<h1>Bad gateway</h1>\r\n</html>", true},
		"an old encoding":  {strings.Repeat("<p>Pas trouv\xe9e: r\xe9essayez</p>\n", 20), true},
		"colours":          {"\x1b[31merror\x1b[0m", true},
		"nothing":          {"", true},
		"packed":           {packed.String(), false},
		"packed, cut":      {packed.String()[:60], false},
		"short and packed": {"\x8b\x05\x80{\"token\":\"96142\xfe\"}\xe3", false},
		"UTF-16":           {utf16, false},
	} {
		t.Run(name, func(t *testing.T) {
			mem := durabletest.NewMem()
			w := create(t, mem, first, nil)
			r, err := w.Reject(answer("1"), "NOT_JSON", []byte(c.body))
			must(t, err)
			_, err = w.Seal(header())
			must(t, err)
			a, err := raw.Open(mem, first)
			must(t, err)
			body, err := a.Body(r)
			must(t, err)
			want := c.body
			if !c.kept {
				want = ""
			}
			if string(body) != want || r.Truncated == c.kept {
				t.Errorf("kept %q, truncated %v", body, r.Truncated)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	fetchFile := layout.Cycle(layout.RawDir, first) + "/" + layout.RawFetchFile
	cycleFile := layout.Cycle(layout.RawDir, first) + "/" + layout.RawCycleFile
	bodyFile := layout.Cycle(layout.RawDir, first) + "/" + layout.RawAnswers
	cases := []struct {
		name   string
		file   string
		change func([]byte) []byte // nil result: the file is deleted
		want   error
	}{
		{"no header", cycleFile, func([]byte) []byte { return nil }, raw.ErrNotSealed},
		{"empty header", cycleFile, func([]byte) []byte { return []byte{} }, raw.ErrCorrupt},
		{"torn header", cycleFile, func(b []byte) []byte { return b[:len(b)/2] }, raw.ErrCorrupt},
		{"two headers", cycleFile, func(b []byte) []byte { return append(b, b...) }, raw.ErrCorrupt},
		{"a newer format", cycleFile, swap(`"format": 2`, `"format": 3`), layout.ErrNewer},
		{"no format", cycleFile, swap(`"format": 2`, `"format": 0`), raw.ErrCorrupt},
		{"another cycle", cycleFile, swap("20261120T0907", "20261120T0908"), raw.ErrCorrupt},
		{"another product", cycleFile, swap(`"product": "market_engine"`, `"product": "live_intelligence"`), raw.ErrCorrupt},
		{"no list", fetchFile, func([]byte) []byte { return nil }, raw.ErrCorrupt},
		{"changed list", fetchFile, swap(`"status": 200`, `"status": 201`), raw.ErrCorrupt},
		{"no body", bodyFile, func([]byte) []byte { return nil }, raw.ErrCorrupt},
		{"torn body", bodyFile, func(b []byte) []byte { return b[:len(b)-3] }, raw.ErrCorrupt},
		{"changed body", bodyFile, func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, raw.ErrCorrupt},
		{"long body", bodyFile, func(b []byte) []byte { return append(b, make([]byte, 1<<20)...) }, raw.ErrCorrupt},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			mem := sealedOne(t)
			before, err := durable.ReadFile(mem, c.file, 1<<20)
			must(t, err)
			must(t, mem.Remove(c.file))
			if after := c.change(before); after != nil {
				must(t, durable.Create(mem, c.file, durable.Bytes(after)))
			}
			a, err := raw.Open(mem, first)
			if err == nil {
				_, err = a.Payload(a.Responses()[0])
			}
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func swap(from, to string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(from), []byte(to), 1) }
}

func sealedOne(t *testing.T) *durabletest.Mem {
	t.Helper()
	mem := durabletest.NewMem()
	w := create(t, mem, first, nil)
	_, err := w.Add(answer("1"), []byte(`{"success":1,"results":[]}`))
	must(t, err)
	_, err = w.Seal(header())
	must(t, err)
	return mem
}

func TestNewestPassesByFailedAndUnsealed(t *testing.T) {
	mem := durabletest.NewMem()
	if _, found, err := raw.Newest(mem); found || err != nil {
		t.Fatalf("empty: %v %v", found, err)
	}
	for i, outcome := range []raw.Outcome{raw.Complete, raw.Partial, raw.Failed, ""} {
		w := create(t, mem, layout.NewCycleID(start.Add(time.Duration(i)*time.Hour), string(football.MarketEngine)), nil)
		c := header()
		if c.Outcome = outcome; outcome == raw.Failed {
			c.Code = "PROVIDER_UNREACHABLE"
		}
		if outcome != "" {
			_, err := w.Seal(c)
			must(t, err)
		}
	}
	newest, found, err := raw.Newest(mem)
	must(t, err)
	if !found || newest.Outcome != raw.Partial {
		t.Errorf("newest: %v %v", found, newest.Outcome)
	}
	moved, err := raw.Recover(mem)
	must(t, err)
	ids, err := raw.Cycles(mem)
	must(t, err)
	if moved != 1 || len(ids) != 3 {
		t.Errorf("recovered %d, %d cycles left", moved, len(ids))
	}
	if _, err := raw.Create(mem, first, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second archive of a cycle: %v", err)
	}
}

// A damaged header stops transform, but not the next cycle.
func TestCreateAfterADamagedCycle(t *testing.T) {
	mem := durabletest.NewMem()
	for i := range 2 {
		w := create(t, mem, layout.NewCycleID(start.Add(time.Duration(i)*time.Hour), string(football.MarketEngine)), nil)
		c := header()
		c.Resume = fmt.Sprint("after ", i)
		_, err := w.Seal(c)
		must(t, err)
	}
	damaged := layout.NewCycleID(start.Add(time.Hour), string(football.MarketEngine))
	must(t, durable.Overwrite(mem, layout.Cycle(layout.RawDir, damaged)+"/"+layout.RawCycleFile, []byte("{")))
	if _, _, err := raw.Newest(mem); !errors.Is(err, raw.ErrCorrupt) {
		t.Errorf("the newest: %v", err)
	}
	next := layout.NewCycleID(start.Add(2*time.Hour), string(football.MarketEngine))
	w := create(t, mem, next, nil)
	sealed, err := w.Seal(header())
	must(t, err)
	if w.Resume(header().Provider) != "after 0" || w.Resume("another") != "" || sealed.Previous != layout.NewCycleID(start, string(football.MarketEngine)) {
		t.Errorf("continues from %q, %s", w.Resume(header().Provider), sealed.Previous)
	}
	if newest, found, err := raw.Newest(mem); err != nil || !found || newest.CycleID != next {
		t.Errorf("then the newest is %s, %v", newest.CycleID, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func disk(t *testing.T) durable.FS {
	t.Helper()
	d, err := durable.OpenRoot(t.TempDir())
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}
