package verify_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/cluster/store"
	"mkt/internal/evidence/verify"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/storetest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// film has the data root after every file operation of its writers: cycles, retention and
// compaction.
type film struct {
	product football.Product
	frames  []*durabletest.Mem
}

// Films of both products. Retention is so short that every cycle deletes data of every kind.
var (
	marketFilm = sync.OnceValues(func() (film, error) { return shoot(football.MarketEngine, 6, time.Hour) })
	tickFilm   = sync.OnceValues(func() (film, error) { return shoot(football.LiveIntelligence, 16, 5*time.Minute) })
)

func shoot(product football.Product, cycles int, every time.Duration) (film, error) {
	f := film{product: product}
	mem := durabletest.NewMem()
	filming := durabletest.Wrap(mem, func(op durabletest.Op) error {
		switch op.Kind {
		case durabletest.Link, durabletest.Rename, durabletest.Remove, durabletest.RemoveAll, durabletest.Mkdir:
			f.frames = append(f.frames, mem.PowerCut(1, 0))
		}
		return nil
	})
	p := dataroot.Product{Name: product, Root: filming, Data: durabletest.NewMem(), Key: key, Version: "test",
		Retention: retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: time.Hour}}
	_, err := simulate(p, 4, cycles, every, func(at time.Time) error {
		if product != football.LiveIntelligence {
			return nil
		}
		_, err := raw.Compact(filming, layout.NewCycleID(at, string(product)))
		return err
	})
	if err != nil {
		return film{}, err
	}
	f.frames = append(f.frames, mem)
	return f, nil
}

// playing is a file system that shows a film to a reader: any operation may advance it.
type playing struct {
	durable.FS // the current frame
	film       film
	at, last   int
	r          *rand.Rand
	speed      float64 // how often it advances
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

// Concurrent writers cause no findings in intact data.
func TestNoFalseAlarmsBesideWriters(t *testing.T) {
	t.Parallel()
	runs := 1500
	if testing.Short() {
		runs = 25
	}
	for name, of := range map[string]func() (film, error){"markets": marketFilm, "ticks": tickFilm} {
		t.Run(name, func(t *testing.T) {
			f, err := of()
			check.Must(t, err)
			findings, clean := map[string]int{}, 0
			for i := range runs {
				r := rand.New(rand.NewPCG(uint64(i), 5))
				from := r.IntN(len(f.frames))
				p := &playing{film: f, at: from, last: min(len(f.frames)-1, from+r.IntN(len(f.frames))), r: r, speed: []float64{0.02, 0.2, 0.6, 0.9}[r.IntN(4)]}
				p.FS = f.frames[from]
				report, err := verify.Run(t.Context(), verify.Options{ClientID: "acme", Product: f.product, Root: p, Command: "mkt"})
				check.Must(t, err)
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

// A writer that is killed at any point leaves no findings, even for a first publication that is
// committed while CURRENT does not name it yet.
func TestKilledWritersRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 20
	}
	for name, of := range map[string]func() (film, error){"markets": marketFilm, "ticks": tickFilm} {
		t.Run(name, func(t *testing.T) {
			f, err := of()
			check.Must(t, err)
			behindFirst := 0
			for i, frame := range f.frames {
				_, noCurrent := frame.Stat(layout.Current)
				_, noCommit := frame.Stat(layout.Commit(1))
				first := noCurrent != nil && noCommit == nil
				if !first && i%step != 0 {
					continue
				}
				report, err := verify.Run(t.Context(), verify.Options{ClientID: "acme", Product: f.product, Root: frame, Command: "mkt"})
				check.Must(t, err)
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

// Damage is found while others write, with the same codes as at rest.
func TestDamageIsFoundBesideWriters(t *testing.T) {
	t.Parallel()
	f, err := marketFilm()
	check.Must(t, err)
	runs := 200
	if testing.Short() {
		runs = 20
	}
	judged := 0
	for i := range runs {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		from := len(f.frames)/2 + r.IntN(len(f.frames)/2)
		head, _, err := snapshot.Head(f.frames[from])
		check.Must(t, err)
		name := layout.Cycle(layout.RawDir, head.CycleID) + "/" + layout.RawCycleFile
		frames := slices.Clone(f.frames[:min(len(f.frames), from+40)])
		last := from
		for at := from; at < len(frames); at++ {
			h := testRoot{root: f.frames[at].PowerCut(1, 0)}
			if there, err := durable.Exists(h.root, name); err != nil || !there {
				break
			}
			h.write(t, name, append([]byte(" "), h.read(t, name)...))
			frames[at], last = h.root, at
		}
		p := &playing{film: film{f.product, frames}, at: from, last: last, r: r, speed: []float64{0.02, 0.2, 0.6}[r.IntN(3)]}
		p.FS = frames[from]
		report, err := verify.Run(t.Context(), verify.Options{ClientID: "acme", Product: f.product, Root: p, Command: "mkt"})
		check.Must(t, err)
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

// The remains of a killed run raise no alarm when retention has deleted the publication that the run
// followed.
func TestRemainsOutliveTheirPublication(t *testing.T) {
	mem, kill, dead := durabletest.NewMem(), layout.Commit(3), false
	url, err := dataroot.Simulate(t.Context(), 4)
	check.Must(t, err)
	p := dataroot.Product{Name: football.MarketEngine, Data: durabletest.NewMem(), Key: key, Version: "test", Tenant: dataroot.Fetching(url),
		Retention: retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: time.Hour}}
	p.Root = durabletest.Wrap(mem, func(op durabletest.Op) error {
		dead = dead || op.Kind == durabletest.Link && op.Name == kill
		if dead {
			return durabletest.ErrKilled
		}
		return nil
	})
	at := time.Now().UTC().Truncate(time.Hour)
	for n := range 9 {
		if err := p.Cycle(t.Context(), at.Add(time.Duration(n)*time.Hour)); (err != nil) != dead {
			t.Fatal(err)
		}
		if dead {
			dead, kill = false, ""
		}
	}
	h := testRoot{root: mem, product: p.Name}
	if r := h.verify(t, nil); !r.Clean {
		t.Errorf("%+v", r.Findings)
	}
}

// The remains of a run raise no alarm when its clock was ahead, and the root was then copied from an object
// store, beginning at a later publication than the one that the run followed.
func TestRemainsFromBeforeTheFirstRecord(t *testing.T) {
	page := dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal"))
	price := func(r *dataroot.Root, hour int, odds string) {
		t.Helper()
		r.Cycle(time.Duration(hour)*time.Hour, nil, page, dataroot.Offer("9001", strings.ReplaceAll(dataroot.Offered, "1.90", odds)))
	}
	r := dataroot.New(t, football.MarketEngine)
	price(r, 0, "1.91")
	killed := dataroot.New(t, football.MarketEngine)
	killed.Mem = r.Mem.PowerCut(1, 1)
	price(killed, 6, "1.92")
	price(r, 1, "1.93")
	price(r, 2, "1.94")
	remains := 0
	for _, dir := range []string{layout.SnapshotsDir, layout.ChangesDir, layout.StepsDir} {
		copyNew(t, killed.Mem, r.Mem, dir, &remains)
	}
	check.Must(t, snapshot.WriteFirst(r.Mem, 3))
	for _, f := range (testRoot{root: r.Mem, product: r.Product}).verify(t, nil).Findings {
		if f.File != layout.IDKeyFingerprintFile { // the data root is in the same memory
			t.Errorf("%+v", f)
		}
	}
	if remains < 4 {
		t.Errorf("the killed run left %d files", remains)
	}
}

// A copy from an object store that is killed at any operation, or loses the power there, raises no alarm.
func TestInterruptedCopiesRaiseNoAlarm(t *testing.T) {
	page := dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal"))
	r := dataroot.New(t, football.MarketEngine)
	r.Cycle(0, nil, page, dataroot.Offer("9001", dataroot.Offered))
	began := r.Mem.PowerCut(1, 1)
	for hour := 1; hour < 4; hour++ {
		r.Cycle(time.Duration(hour)*time.Hour, nil, page, dataroot.Offer("9001", strings.ReplaceAll(dataroot.Offered, "1.90", fmt.Sprint("1.9", hour))))
	}
	d := store.New(storetest.NewMemory(), store.Options{}).Dataset("acme", r.Product)
	_, err := d.Push(t.Context(), r.Mem, store.PushOptions{})
	check.Must(t, err)
	killed := 0
	for {
		mem, left := began.PowerCut(1, 1), killed
		_, err := d.Sync(t.Context(), durabletest.Wrap(mem, func(durabletest.Op) error {
			if left--; left < 0 {
				return durabletest.ErrKilled
			}
			return nil
		}))
		for name, root := range map[string]*durabletest.Mem{"killed": mem, "power cut": mem.PowerCut(0, 1)} {
			for _, f := range (testRoot{root: root, product: r.Product}).verify(t, nil).Findings {
				if f.File != layout.IDKeyFingerprintFile { // the data root is in the same memory
					t.Errorf("%s at operation %d: %+v", name, killed, f)
				}
			}
		}
		if err == nil {
			copies, err := snapshot.Copies(mem)
			if check.Must(t, err); len(copies) > 0 {
				t.Errorf("after the copy %d records are staged", len(copies))
			}
			break
		}
		if killed++; t.Failed() {
			return
		}
	}
	if killed < 20 {
		t.Errorf("the copy was killed %d times", killed)
	}
}

// A disk reports one sync of a cycle as done that is not, and then loses its power. The newest publication is
// whole, or a verification says that it is damaged. A repair or a new history makes it whole.
func TestLostSyncs(t *testing.T) {
	url, err := dataroot.Simulate(t.Context(), 1)
	check.Must(t, err)
	p := dataroot.Product{Name: football.MarketEngine, Key: key, Version: "test", Tenant: dataroot.Fetching(url)}
	at := time.Now().UTC().Truncate(time.Hour)
	began := durabletest.NewMem()
	p.Root, p.Data = began, durabletest.NewMem()
	check.Must(t, p.Cycle(t.Context(), at))
	damaged, syncs := 0, 0
	for lost, isLost := 1, true; isLost; lost++ {
		mem := began.PowerCut(1, 1)
		syncs, isLost = 0, false
		p.Root = durabletest.Wrap(mem, func(op durabletest.Op) error {
			if op.Kind != durabletest.Sync && op.Kind != durabletest.SyncDir {
				return nil
			}
			if syncs++; syncs != lost {
				return nil
			}
			isLost = true
			return durabletest.ErrLeftOut
		})
		check.Must(t, p.Cycle(t.Context(), at.Add(time.Hour)))
		cut := mem.PowerCut(0, 1)
		findings := (testRoot{root: cut, product: p.Name}).verify(t, nil).Findings
		if err := newestIsWhole(cut); err != nil {
			damaged++
			if !snapshot.IsDamage(err) || len(findings) == 0 {
				t.Errorf("sync %d was lost: %v, and the findings are %+v", lost, err, findings)
			}
		}
		o := publish.Options{ClientID: "acme", Product: p.Name, Root: cut, Version: "test", RunID: "history", Now: func() time.Time { return at.Add(2 * time.Hour) }}
		r, err := repair.Run(t.Context(), o)
		if err != nil || len(r.Unrepairable) > 0 {
			_, err = repair.NewHistory(t.Context(), o)
		}
		if err == nil {
			err = newestIsWhole(cut)
		}
		if err != nil {
			t.Errorf("sync %d was lost, and cannot be recovered: %v", lost, err)
		}
	}
	if syncs < 20 || damaged == 0 {
		t.Errorf("%d syncs, of which %d damaged the newest publication when they were lost", syncs, damaged)
	}
}

// newestIsWhole compares the newest publication with its hashes.
func newestIsWhole(root durable.ReadFS) error {
	c, _, err := snapshot.Head(root)
	if err != nil {
		return err
	}
	m, err := snapshot.Open(root, c)
	if err == nil {
		err = snapshot.Verify(root, c.Dir(), m)
	}
	for _, s := range m.Segments() {
		if err == nil {
			err = snapshot.VerifySegment(root, s)
		}
	}
	return err
}
