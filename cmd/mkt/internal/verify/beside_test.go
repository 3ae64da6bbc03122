package verify_test

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/verify"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// film is a root at every file operation of what writers do to it, one after the
// other: cycles, retention, rolling up.
type film struct {
	product football.Product
	frames  []*durabletest.Mem
}

// films are of both products. Retention is so short that every cycle deletes
// something of every kind.
var (
	marketFilm = sync.OnceValues(func() (film, error) { return shoot(football.MarketEngine, 6, time.Hour) })
	tickFilm   = sync.OnceValues(func() (film, error) { return shoot(football.LiveIntelligence, 16, 5*time.Minute) })
)

func shoot(product football.Product, cycles int, every time.Duration) (film, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: 4, Tokens: map[string]simulator.Account{secret: {}}})
	if err != nil {
		return film{}, err
	}
	url, _, err := simulator.Listen(ctx, sim, "127.0.0.1:0")
	if err != nil {
		return film{}, err
	}
	f := film{product: product}
	mem := durabletest.NewMem()
	filming := durabletest.Wrap(mem, func(op durabletest.Op) error {
		switch op.Kind {
		case durabletest.Link, durabletest.Rename, durabletest.Remove, durabletest.RemoveAll, durabletest.Mkdir:
			f.frames = append(f.frames, mem.PowerCut(1, 0))
		}
		return nil
	})
	h := house{root: mem, data: durabletest.NewMem(), product: product}
	began := time.Now().UTC().Truncate(time.Hour).Add(30 * time.Minute)
	for i := range cycles {
		at := began.Add(time.Duration(i) * every)
		if err := h.cycleOn(ctx, filming, url, at, retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: time.Hour}); err != nil {
			return film{}, err
		}
		if product == football.LiveIntelligence {
			if _, err := raw.Compact(filming, layout.NewCycleID(at, string(product))); err != nil {
				return film{}, err
			}
		}
	}
	f.frames = append(f.frames, mem)
	return f, nil
}

// playing is a film that is watched by a reader of files: at every operation it goes
// on by itself, now and then.
type playing struct {
	durable.FS // the frame at hand
	film       film
	at, last   int
	r          *rand.Rand
	speed      float64 // how often it goes on
}

func (p *playing) next() durable.FS {
	for p.at < p.last && p.r.Float64() < p.speed {
		p.at++
	}
	return p.film.frames[p.at]
}

func (p *playing) Open(name string) (durable.Reader, error)   { return p.next().Open(name) }
func (p *playing) Stat(name string) (fs.FileInfo, error)      { return p.next().Stat(name) }
func (p *playing) ReadDir(name string) ([]fs.DirEntry, error) { return p.next().ReadDir(name) }

// Whatever writers do while it reads, what is whole has no findings.
func TestNoFalseAlarmsBesideWriters(t *testing.T) {
	t.Parallel()
	runs := 1500
	if testing.Short() {
		runs = 25
	}
	for name, of := range map[string]func() (film, error){"markets": marketFilm, "ticks": tickFilm} {
		t.Run(name, func(t *testing.T) {
			f, err := of()
			must(t, err)
			findings, clean := map[string]int{}, 0
			for i := range runs {
				r := rand.New(rand.NewPCG(uint64(i), 5))
				from := r.IntN(len(f.frames))
				p := &playing{film: f, at: from, last: min(len(f.frames)-1, from+r.IntN(len(f.frames))), r: r, speed: []float64{0.02, 0.2, 0.6, 0.9}[r.IntN(4)]}
				p.FS = f.frames[from]
				report, err := verify.Run(t.Context(), verify.Options{ClientID: "acme", Product: f.product, Root: p, Command: "mkt"})
				must(t, err)
				if report.Clean {
					clean++
				}
				for _, found := range report.Findings {
					if findings[found.Code]++; findings[found.Code] == 1 {
						t.Errorf("run %d, frames %d to %d of %d: %+v", i, from, p.at, len(f.frames), found)
					}
				}
			}
			t.Logf("%d frames, %d of %d clean; %v", len(f.frames), clean, runs, findings)
		})
	}
}

// Wherever writers were killed, what they left has no findings: among it a first
// publication that is committed and that CURRENT does not name yet.
func TestKilledWritersRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 20
	}
	for name, of := range map[string]func() (film, error){"markets": marketFilm, "ticks": tickFilm} {
		t.Run(name, func(t *testing.T) {
			f, err := of()
			must(t, err)
			behindFirst := 0
			for i, frame := range f.frames {
				_, noCurrent := frame.Stat(layout.Current)
				_, noCommit := frame.Stat(layout.Commit(1))
				first := noCurrent != nil && noCommit == nil
				if !first && i%step != 0 {
					continue
				}
				report, err := verify.Run(t.Context(), verify.Options{ClientID: "acme", Product: f.product, Root: frame, Command: "mkt"})
				must(t, err)
				if !report.Clean {
					t.Fatalf("frame %d of %d: %+v", i, len(f.frames), report.Findings)
				}
				if first {
					behindFirst++
				}
			}
			if behindFirst == 0 {
				t.Error("no frame is of a first publication that CURRENT does not name")
			}
		})
	}
}

// Damage is found while others write, and named as it is at rest.
func TestDamageIsFoundBesideWriters(t *testing.T) {
	t.Parallel()
	f, err := marketFilm()
	must(t, err)
	runs := 200
	if testing.Short() {
		runs = 20
	}
	judged := 0
	for i := range runs {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		from := len(f.frames)/2 + r.IntN(len(f.frames)/2)
		head, _, err := snapshot.Head(f.frames[from])
		must(t, err)
		name := layout.Cycle(layout.RawDir, head.CycleID) + "/" + layout.RawCycleFile
		frames := slices.Clone(f.frames[:min(len(f.frames), from+40)])
		last := from
		for at := from; at < len(frames); at++ {
			h := house{root: f.frames[at].PowerCut(1, 0)}
			if there, err := durable.Exists(h.root, name); err != nil || !there {
				break
			}
			h.write(t, name, append([]byte(" "), h.read(t, name)...))
			frames[at], last = h.root, at
		}
		p := &playing{film: film{f.product, frames}, at: from, last: last, r: r, speed: []float64{0.02, 0.2, 0.6}[r.IntN(3)]}
		p.FS = frames[from]
		report, err := verify.Run(t.Context(), verify.Options{ClientID: "acme", Product: f.product, Root: p, Command: "mkt"})
		must(t, err)
		if report.Clean {
			t.Errorf("run %d, frames %d to %d: clean", i, from, p.at)
		}
		for _, found := range report.Findings {
			if found.Code != "RAW_DAMAGED" {
				t.Errorf("run %d: %+v", i, found)
			}
		}
		if report.Judged {
			judged++
		}
	}
	if judged < runs*9/10 {
		t.Errorf("%d of %d runs were judged", judged, runs)
	}
}
