package stepindex_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mkt/internal/testing/check"
	"mkt/publish/table"
	"mkt/publish/table/stepindex"
)

// manySteps are steps of fixtures with one market up to thousands of rows, some with rows of their own,
// so that there are several row groups. Prices may be missing, and some columns have one value or none
// in every row.
func manySteps() (rows []table.StepRow) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(s string) *string { return &s }
	start := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for f := range 60 {
		fixture := fmt.Sprintf("fx_%03d", 2*f)
		seq := int64(f)
		if f%3 == 0 {
			kickOff := start.AddDate(0, 0, f)
			rows = append(rows, table.StepRow{FixtureID: fixture, Seq: seq, PublishedAt: start, CycleID: "c0", Present: true, StartsAt: &kickOff, Home: text("A")})
		}
		for m := range 1 + f%7 {
			for s := range 1 + m%3 {
				for k := range 1 + random.IntN(1+12*f) {
					r := table.StepRow{FixtureID: fixture, MarketID: fmt.Sprintf("mk_%d_%02d", f, 2*m), SelectionID: fmt.Sprintf("sl_%d_%d_%d", f, m, s), Seq: seq + 1000*int64(k),
						PublishedAt: start.Add(time.Duration(k) * time.Hour), CycleID: fmt.Sprint("c", k), Version: int64(k), Present: k%5 > 0}
					if r.Present {
						yes := k%7 > 0
						r.Publishable, r.OddsDecimalText, r.Line, r.MarketName, r.Selection = &yes, text(fmt.Sprint(k%90)), nil, text("M"), text("OVER")
						r.Absent = []string{"odds_fractional"}
						if k%11 == 0 {
							r.OddsDecimalText, r.Absent = nil, []string{"odds_fractional", "odds_decimal"}
						}
						r.ProviderFetchedAt = &r.PublishedAt
					}
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

// TestIndex compares the rows that an index finds with those of the table, from many goroutines; also if
// the rows contradict each other about the publication of a seq, so that each is read.
func TestIndex(t *testing.T) {
	t.Parallel()
	rows := manySteps()
	if len(rows) < 40_000 {
		t.Fatalf("%d rows are not several row groups", len(rows))
	}
	for name, edit := range map[string]func(last *table.StepRow){
		"publications":           func(*table.StepRow) {},
		"two cycles of one time": func(last *table.StepRow) { last.CycleID = "other" },
		"two times of one seq":   func(last *table.StepRow) { last.PublishedAt = last.PublishedAt.Add(time.Millisecond) },
		"publications in another order": func(last *table.StepRow) {
			last.PublishedAt, last.CycleID, last.Seq = last.PublishedAt.Add(time.Hour*1000), "new", 999_999
			rows[0].PublishedAt, rows[0].CycleID = last.PublishedAt, "new"
		},
	} {
		t.Run(name, func(t *testing.T) {
			rows = manySteps()
			edit(&rows[len(rows)-1])
			compareIndex(t, rows, name == "publications")
		})
	}
}

func compareIndex(t *testing.T, rows []table.StepRow, all bool) {
	t.Helper()
	var file bytes.Buffer
	w := table.NewWriter[table.StepRow](&file, table.Header{})
	check.Must(t, w.Write(rows...))
	_, err := w.Close()
	check.Must(t, err)
	in := bytes.NewReader(file.Bytes())
	x, err := stepindex.New(in, in.Size())
	check.Must(t, err)
	before := x.Memory()
	want := map[string][]table.StepRow{}
	for _, r := range rows {
		r.Version, r.ProcessedAt, r.Home, r.Away, r.League, r.Subject = 0, nil, nil, nil, nil, nil
		want[r.FixtureID+" "+r.MarketID] = append(want[r.FixtureID+" "+r.MarketID], r)
	}
	var readers sync.WaitGroup
	for g := range 4 {
		readers.Go(func() {
			for n := range 122 {
				if n%4 != g && n%20 != 0 {
					continue // every goroutine reads some of the same fixtures
				}
				if !all && n%20 != 18 { // the last one is among them
					continue
				}
				fixture := fmt.Sprintf("fx_%03d", n)
				var kickOffs []stepindex.KickOff
				for _, r := range want[fixture+" "] {
					kickOffs = append(kickOffs, stepindex.KickOff{Seq: r.Seq, PublishedAt: r.PublishedAt, CycleID: r.CycleID, Before: r.Before, Present: r.Present, StartsAt: r.StartsAt})
				}
				if diff := cmp.Diff(kickOffs, x.KickOffs(fixture), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: %s", fixture, diff)
				}
				for m := range 15 {
					market := fmt.Sprintf("mk_%d_%02d", n/2, m-1)
					if m == 0 {
						market = ""
					}
					for columns := range stepindex.SelectionColumn + 1 {
						rows := slices.Clone(want[fixture+" "+market])
						for i := range rows {
							if r := &rows[i]; columns == stepindex.PriceColumns {
								r.StartsAt, r.Market, r.MarketName, r.Period, r.Selection, r.Qualifier = nil, nil, nil, nil, nil, nil
							} else if columns == stepindex.SelectionColumn {
								*r = table.StepRow{FixtureID: r.FixtureID, MarketID: r.MarketID, SelectionID: r.SelectionID}
							}
						}
						var got []table.StepRow
						if err := x.Rows(in, fixture, market, columns, func(some []table.StepRow) { got = append(got, some...) }); err != nil {
							t.Error(err)
							return
						}
						if !reflect.DeepEqual(rows, got) {
							t.Errorf("%s %s columns %d: %s", fixture, market, columns, cmp.Diff(rows, got))
							return
						}
						if n := x.Count(fixture, market); n != len(rows) {
							t.Errorf("%s %s has %d rows, not %d", fixture, market, n, len(rows))
						}
					}
				}
			}
		})
	}
	readers.Wait()
	if after := x.Memory(); after <= before || after > len(rows)*8 {
		t.Errorf("the index of %d rows has %d bytes, at first %d", len(rows), after, before)
	}
}

// An index that was made of another file's bytes is an error and no panic, whatever the bytes.
func TestIndexOfDamage(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	w := table.NewWriter[table.StepRow](&file, table.Header{})
	check.Must(t, w.Write(manySteps()[:2_000]...))
	_, err := w.Close()
	check.Must(t, err)
	in := bytes.NewReader(file.Bytes())
	x, err := stepindex.New(in, in.Size())
	check.Must(t, err)
	found := 0
	for at := 0; at < file.Len(); at += 331 {
		bad := bytes.Clone(file.Bytes())
		bad[at] ^= 0x55
		for _, f := range []string{"fx_000", "fx_010", "fx_020"} {
			for _, market := range []string{"", "mk_0_00", "mk_5_04", "mk_10_06"} {
				if err := x.Rows(bytes.NewReader(bad), f, market, stepindex.PathColumns, func([]table.StepRow) {}); err != nil {
					found++
				}
			}
		}
		if y, err := stepindex.New(bytes.NewReader(bad), int64(len(bad))); err == nil {
			y.KickOffs("fx_000")
		}
	}
	if found == 0 {
		t.Error("no damage was found")
	}
}
