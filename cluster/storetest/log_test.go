package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"mkt/cluster/servers"
	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/snapshot"
	"mkt/publish/store"
	"mkt/publish/transparency"
)

func logKey(t testing.TB) *transparency.Key {
	text, err := transparency.NewKey(rand.NewChaCha8([32]byte{7}), "example.com/prices")
	must(t, err)
	key, err := transparency.ParseKey(text)
	must(t, err)
	return key
}

// logMachine has a disk, and the log of a store.
type logMachine struct {
	t     testing.TB
	disk  durable.FS
	store *store.Log
	key   *transparency.Key
}

func newLogMachine(t testing.TB, url string) *logMachine {
	return &logMachine{t, durabletest.NewMem(), openStore(t, url).Log(), logKey(t)}
}

// leaves are the publications of a dataset from a version on.
func leaves(dataset string, version, n int) (list []transparency.Record) {
	for v := version; v < version+n; v++ {
		list = append(list, transparency.Record{ClientID: dataset, Product: "market_engine", Version: uint64(v), CommitSHA256: fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, dataset, v))), PublishedAt: start})
	}
	return list
}

// add adds leaves to the log, as one run does.
func (m *logMachine) add(ctx context.Context, disk durable.FS, records []transparency.Record) (head transparency.Signed, err error) {
	l, err := transparency.Open(disk, m.key)
	if err != nil {
		return head, err
	}
	defer l.Close()
	a, err := m.store.Attach(ctx, l)
	if err != nil {
		return head, err
	}
	if head, err = l.Append(records); err == nil {
		err = a.Ship(ctx)
	}
	return head, err
}

// follow copies the log of the store, and returns its head.
func (m *logMachine) follow() (*transparency.View, transparency.Signed, error) {
	v, err := note.NewVerifier(m.key.VerifierKey())
	must(m.t, err)
	c, err := transparency.OpenCopy(m.disk, v)
	if err != nil {
		return nil, transparency.Signed{}, err
	}
	defer c.Close()
	if err := m.store.Follow(m.t.Context(), c); err != nil {
		return nil, transparency.Signed{}, err
	}
	head, err := c.Head()
	if errors.Is(err, transparency.ErrNoLog) {
		err = nil
	}
	return &c.View, head, err
}

// has checks that each leaf is in the log.
func has(t testing.TB, v *transparency.View, head transparency.Signed, records []transparency.Record) {
	t.Helper()
	for _, r := range records {
		_, found, _, err := v.Find(r.ClientID, r.Product, r.Version, head)
		if err != nil || found.Version != r.Version || found.CommitSHA256 != r.CommitSHA256 {
			t.Fatalf("%s %d: leaf %+v, %v", r.ClientID, r.Version, found, err)
		}
	}
}

// C14: a machine that adds to the log is killed at every operation of the store, before the store has it and
// after, and half of the time its disk is lost. Another goes on. There is one history: no head that anybody
// has seen is contradicted, and every leaf that was acknowledged is there.
func TestLogIsContinuedByOthers(t *testing.T) {
	t.Parallel()
	p := startProxy(t)
	reader, random := newLogMachine(t, gateway.URL("log")), rand.New(rand.NewPCG(5, 6))
	var acked []transparency.Record
	var seen transparency.Signed
	version, kills, survived := 1, 0, 0
	disk := durable.FS(durabletest.NewMem())
	attempt := func(n int, after bool) (ended bool) {
		ctx, kill := context.WithCancel(t.Context())
		defer kill()
		var dead atomic.Bool
		die := func() { dead.Store(true); kill() }
		p.Reset()
		p.Inject(func(op servers.Operation) servers.Fault {
			switch {
			case dead.Load():
				return servers.Fault{Refuse: servers.Denied}
			case op.N == n && after:
				return servers.Fault{DropAnswer: true, After: die}
			case op.N == n:
				die()
				return servers.Fault{DropRequest: true}
			}
			return servers.Fault{}
		})
		if random.IntN(2) == 0 {
			disk = durabletest.NewMem()
		}
		m := newLogMachine(t, p.URL("log"))
		records := leaves("acme", version, 1+random.IntN(150))
		version += len(records)
		_, err := m.add(ctx, durabletest.Wrap(disk, func(durabletest.Op) error {
			if dead.Load() {
				return durabletest.ErrKilled
			}
			return nil
		}), records)
		p.Heal()
		if mem, isMem := disk.(*durabletest.Mem); isMem && dead.Load() {
			disk = mem.PowerCut(random.Float64(), uint64(n))
		}
		if err == nil {
			acked = append(acked, records...)
		} else if !dead.Load() {
			t.Fatalf("a machine that was not killed: %v", err)
		}
		v, head, err := reader.follow()
		must(t, err)
		if head.Size < seen.Size {
			t.Fatalf("size %d, and %d was seen", head.Size, seen.Size)
		}
		if seen.Size > 0 {
			if then, err := v.At(seen.Size); err != nil || then != seen.Checkpoint {
				t.Fatalf("killed at %d: the head of size %d that was seen is contradicted: %v", n, seen.Size, err)
			}
		}
		if dead.Load() {
			kills++
			if head.Size > seen.Size {
				survived++
			}
		}
		seen = head
		return err == nil && !dead.Load()
	}
	for range 5 {
		for _, after := range []bool{false, true} {
			for n := 1; !attempt(n, after); n++ {
				if n > 400 {
					t.Fatal("a run asks the store more than 400 times")
				}
			}
		}
	}
	v, head, err := reader.follow()
	must(t, err)
	has(t, v, head, acked)
	fresh := newLogMachine(t, gateway.URL("log"))
	if _, again, err := fresh.follow(); err != nil || again.Checkpoint != head.Checkpoint {
		t.Fatalf("an empty machine ends at %d of %d: %v", again.Size, head.Size, err)
	}
	if kills < 50 || survived < 5 || head.Size < 600 {
		t.Errorf("only %d kills, %d with their leaves in the store, size %d", kills, survived, head.Size)
	}
	t.Logf("%d kills, after %d of them the leaves were there; size %d", kills, survived, head.Size)
}

// C14: eight machines add to one log at once, without a lease. Writes are delayed, lose their answers, or are
// refused. All leaves get into one history, each once.
func TestEightMachinesAddToOneLog(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	p := startProxy(t)
	faults := &recordFaults{random: rand.New(rand.NewPCG(8, 9)), had: map[string]int{}, did: map[string]int{}}
	p.Inject(faults.rule)
	var all []transparency.Record
	var overtaken atomic.Int64
	var group sync.WaitGroup
	for i := range 8 {
		m, dataset := newLogMachine(t, p.URL("race-of-logs")), fmt.Sprint("account-", i)
		records := leaves(dataset, 1, 40*rounds)
		all = append(all, records...)
		group.Go(func() {
			for added := 0; added < len(records); {
				_, err := m.add(t.Context(), m.disk, slices.Clone(records[added:min(added+40, len(records))]))
				if errors.Is(err, snapshot.ErrConflict) {
					overtaken.Add(1)
				} else if err != nil {
					t.Errorf("%s: %v", dataset, err)
					return
				}
				v, head, err := m.follow()
				if err != nil {
					t.Errorf("%s: %v", dataset, err)
					return
				}
				logged, err := v.Newest(head.Checkpoint)
				if err != nil {
					t.Errorf("%s: %v", dataset, err)
					return
				}
				if n := slices.IndexFunc(logged, func(l transparency.Logged) bool { return l.ClientID == dataset }); n >= 0 {
					added = int(logged[n].Version)
				}
			}
		})
	}
	group.Wait()
	reader := newLogMachine(t, gateway.URL("race-of-logs"))
	v, head, err := reader.follow()
	must(t, err)
	if head.Size != int64(len(all)) {
		t.Errorf("size %d for %d leaves", head.Size, len(all))
	}
	has(t, v, head, all)
	if overtaken.Load() == 0 {
		t.Error("no machine was ever faster than another")
	}
	t.Logf("%d leaves, %d runs overtaken; %v", head.Size, overtaken.Load(), faults.did)
}

// A log that was begun without a store is stored; one whose objects vanished is completed; another log under the
// same prefix is refused, and so is a store that another log has been added to.
func TestLogMeetsAStore(t *testing.T) {
	t.Parallel()
	url := gateway.URL("meets")
	files := func() (list []string) {
		list, err := filepath.Glob(gateway.File("meets/log/from=*.json"))
		must(t, err)
		tiles, err := filepath.Glob(gateway.File("meets/log/tiles/*.json"))
		must(t, err)
		return append(list, tiles...)
	}
	m := newLogMachine(t, url)
	l, err := transparency.Open(m.disk, m.key)
	must(t, err)
	before, err := l.Append(leaves("acme", 1, 600))
	must(t, err)
	must(t, l.Close())
	if head, err := m.add(t.Context(), m.disk, nil); err != nil || head.Checkpoint != before.Checkpoint {
		t.Fatalf("a log that was begun without a store: size %d, %v", head.Size, err)
	}
	if _, head, err := newLogMachine(t, url).follow(); err != nil || head.Checkpoint != before.Checkpoint {
		t.Fatalf("the store has size %d: %v", head.Size, err)
	}

	other := newLogMachine(t, url)
	l, err = transparency.Open(other.disk, other.key)
	must(t, err)
	_, err = l.Append(leaves("others", 1, 10))
	must(t, err)
	must(t, l.Close())
	if _, err := other.add(t.Context(), other.disk, leaves("others", 11, 1)); !errors.Is(err, store.ErrLogDiverged) {
		t.Errorf("another log with the same key: %v", err)
	}

	head, err := m.add(t.Context(), m.disk, leaves("acme", 601, 300))
	must(t, err)
	for name, vanish := range map[string]func(names []string) []string{
		"the newest extension": func(names []string) []string {
			slices.Sort(names)
			return names[slices.IndexFunc(names, func(n string) bool { return filepath.Base(n) > "from=00000000000000000767" }):][:1]
		},
		"everything": func(names []string) []string { return names },
	} {
		for _, name := range vanish(files()) {
			must(t, os.Remove(name))
		}
		behind := newLogMachine(t, url)
		behind.disk = m.disk
		if _, _, err := behind.follow(); !errors.Is(err, store.ErrLogLacks) {
			t.Errorf("%s vanished: %v", name, err)
		}
		if again, err := m.add(t.Context(), m.disk, nil); err != nil || again.Checkpoint != head.Checkpoint {
			t.Errorf("%s vanished: size %d, %v", name, again.Size, err)
		}
		if _, again, err := newLogMachine(t, url).follow(); err != nil || again.Checkpoint != head.Checkpoint {
			t.Errorf("%s vanished: then the store has size %d: %v", name, again.Size, err)
		}
	}

	for _, name := range files() {
		must(t, os.Remove(name))
	}
	_, err = newLogMachine(t, url).add(t.Context(), durabletest.NewMem(), leaves("others", 1, 2000))
	must(t, err)
	if _, err := m.add(t.Context(), m.disk, nil); !errors.Is(err, store.ErrLogDiverged) {
		t.Errorf("the store has another log: %v", err)
	}
}
