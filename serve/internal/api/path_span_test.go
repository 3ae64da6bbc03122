package api_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/steps"
	"mkt/publish/table"
	"mkt/publish/table/stepindex"
	"mkt/serve/internal/api"
)

// Every page of a path that is read as far as the page needs it is the page of the whole path, byte for
// byte: from any time on, up to any time, after any page, and as of any time; whatever selections, prices
// and kick-offs come and go, and whether pages before were read, or could not be read.
func TestPagesReadWhatTheyNeed(t *testing.T) {
	t.Parallel()
	compared, shorter := 0, 0
	for seed := range uint64(60) {
		h := newHistory(t, rand.New(rand.NewPCG(seed, 1)))
		for range 12 {
			until := h.time(2)
			whole, err := h.market(until).Path(h.source(), steps.Whole)
			check.Must(t, err)
			of := api.PathPage{From: h.time(2), To: h.time(3), Limit: 1 + h.random.IntN(20)}
			if of.Now = h.random.IntN(4) == 0; of.Now {
				of.From, of.To = time.Time{}, time.Time{}
			}
			kept := h.market(until)
			for {
				want, last, more := api.AppendPath(nil, whole, of)
				_, err := kept.Path(steps.Source{FS: closed{h.fs}, Index: h.source().Index}, of.Span())
				if err != nil && !errors.Is(err, fs.ErrClosed) { // what is known needs no file
					t.Fatal(err)
				}
				for name, m := range map[string]*steps.Market{"kept": kept, "new": h.market(until)} {
					p, err := m.Path(h.source(), of.Span())
					check.Must(t, err)
					got, gotLast, gotMore := api.AppendPath(nil, p, of)
					if string(got) != string(want) || gotLast != last || gotMore != more {
						t.Fatalf("seed %d, %+v, %s, until %s:\n%s\nwant\n%s", seed, of, name, until, got, want)
					}
					compared++
					if points(p) < points(whole) {
						shorter++
					}
				}
				if !more {
					break
				}
				of.After = last
			}
		}
	}
	if compared < 2_000 || shorter < compared/4 {
		t.Errorf("%d pages were compared, %d of them without the whole path", compared, shorter)
	}
}

// closed is a folder that is closed.
type closed struct{ durable.ReadFS }

func (closed) Open(string) (durable.Reader, error) { return nil, fs.ErrClosed }

func points(p *steps.Path) (n int) {
	for i := range p.Selections {
		n += len(p.Selections[i].Points)
	}
	return n
}

// history has the steps of a market in segments.
type history struct {
	random   *rand.Rand
	fs       *durabletest.Mem
	manifest snapshot.Manifest
	indexes  map[string]*stepindex.Index
	first    time.Time
	last     time.Time
}

func (h *history) market(until time.Time) *steps.Market {
	return steps.NewMarket(&h.manifest, "fx_a", "mk_a", until)
}

func (h *history) source() steps.Source {
	return steps.Source{FS: h.fs, Index: func(s snapshot.Segment) (*stepindex.Index, error) { return h.indexes[s.File], nil }}
}

// time returns a time of the history, and in one of so many cases none.
func (h *history) time(none int) time.Time {
	if h.random.IntN(none) == 0 {
		return time.Time{}
	}
	hours := int(h.last.Sub(h.first)/time.Hour) + 3
	return h.first.Add(time.Duration(h.random.IntN(2*hours))*30*time.Minute - time.Hour)
}

func newHistory(t *testing.T, r *rand.Rand) *history {
	h := &history{random: r, fs: durabletest.NewMem(), indexes: map[string]*stepindex.Index{}, first: pathStart}
	check.Must(t, durable.MkdirAllSync(h.fs, "steps"))
	selections := 1 + r.IntN(6)
	there := make([]bool, selections)
	quiet := make([]int, selections) // such a selection moves once in so many publications
	for i := range quiet {
		quiet[i] = 1 << r.IntN(6)
	}
	isThere, seq, at := false, int64(0), pathStart
	kickOff := pathStart.Add(time.Duration(r.IntN(150)) * time.Hour)
	text := func(s string) *string { return &s }
	for segment := range 1 + r.IntN(14) {
		var rows []table.StepRow
		s := snapshot.Segment{First: uint64(seq + 1), Since: at}
		for range 1 + r.IntN(10) {
			seq++
			s.At = at
			row := table.StepRow{FixtureID: "fx_a", Seq: seq, PublishedAt: at, CycleID: fmt.Sprint("c", seq), Present: true, Before: segment == 0 && seq == 1 && r.IntN(2) == 0}
			at = at.Add(time.Hour)
			if isThere && r.IntN(25) == 0 {
				isThere = false
				row.Present = false
				rows = append(rows, row)
				clear(there)
				continue
			}
			if moves := r.IntN(20) == 0; !isThere || moves {
				if r.IntN(3) > 0 {
					kickOff = at.Add(time.Duration(r.IntN(60)-20) * time.Hour)
				}
				starts := kickOff
				if isThere, row.StartsAt = true, &starts; r.IntN(8) == 0 {
					row.StartsAt = nil
				}
				rows = append(rows, row)
				row.StartsAt = nil
			}
			for i := range there {
				if r.IntN(quiet[i]) > 0 {
					continue
				}
				row.MarketID, row.SelectionID = "mk_a", fmt.Sprintf("sl_%c", 'a'+i)
				row.OddsDecimalText, row.Publishable, row.ProviderFetchedAt, row.Selection, row.MarketName = nil, nil, nil, nil, nil
				if row.Present = !there[i] || r.IntN(8) > 0; row.Present {
					fetched, yes := row.PublishedAt.Add(-time.Duration(r.IntN(90))*time.Minute), r.IntN(5) > 0
					row.Publishable, row.ProviderFetchedAt, row.Selection, row.MarketName = &yes, &fetched, text(fmt.Sprint("s", seq/9)), text(fmt.Sprint("m", seq/7))
					row.Line = text(fmt.Sprint(seq / 5))
					if r.IntN(6) > 0 {
						row.OddsDecimalText = text(fmt.Sprint(seq, ".", i))
					}
				}
				there[i] = row.Present
				rows = append(rows, row)
			}
		}
		if rows = append(rows, table.StepRow{FixtureID: "fx_b", Seq: seq, PublishedAt: s.At, CycleID: fmt.Sprint("c", seq)}); r.IntN(10) == 0 {
			rows = rows[len(rows)-1:] // the market does not move
		}
		slices.SortFunc(rows, func(a, b table.StepRow) int { return a.Compare(&b) })
		s.Last, s.File = uint64(seq), fmt.Sprintf("steps/%03d.parquet", segment)
		check.Must(t, durable.Create(h.fs, s.File, func(out io.Writer) error {
			w := table.NewWriter[table.StepRow](out, table.Header{})
			check.Must(t, w.Write(rows...))
			_, err := w.Close()
			return err
		}))
		var err error
		h.indexes[s.File], err = steps.NewIndex(h.fs, s)
		check.Must(t, err)
		h.manifest.Steps, h.last = append(h.manifest.Steps, s), s.At
	}
	return h
}
