package storetest

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"mkt/cluster/servers"
	"mkt/publish"
	"mkt/publish/football"
	"mkt/publish/store"
)

var rounds = flag.Int("rounds", 200, "rounds of eight writers of one record")

// C2: eight writers of one record, each on its own disk. Some of their writes are answered
// with 409 or 503, are delayed, or lose their answer after the store has them. In every
// round exactly one wins, every other one is told ErrConflict, and all go on from what the
// winner has made. Half of the rounds begin in one second, so that all cycles have one name.
func TestOneOfEightWritersWins(t *testing.T) {
	n := *rounds
	if testing.Short() {
		n = 5
	}
	const product, writers = football.MarketEngine, 8
	t.Parallel()
	p := startProxy(t)
	var all []*worker
	for i := range writers {
		all = append(all, newWorker(t, fmt.Sprint("writer-", i), p.URL("race"), product))
	}
	faults := &recordFaults{random: rand.New(rand.NewPCG(2, 16)), had: map[string]int{}, did: map[string]int{}}
	p.Inject(faults.rule)
	var won [writers]int
	for round := range n {
		var done [writers]error
		var group sync.WaitGroup
		for i, w := range all {
			c := cycle{product: product, number: writers*round + writers, refreshed: []int{i, writers + round%8}, kept: upTo(20)}
			if round%2 == 1 {
				c.number += i - writers + 1
			}
			group.Go(func() {
				if done[i] = c.transform(w.f); done[i] == nil {
					_, done[i] = publish.Run(t.Context(), w.options(c))
				}
			})
		}
		group.Wait()
		winner := -1
		for i, err := range done {
			switch {
			case err == nil && winner < 0:
				winner = i
				won[i]++
			case err == nil:
				t.Fatalf("round %d: writers %d and %d have won", round, winner, i)
			case !errors.Is(err, publish.ErrConflict):
				t.Fatalf("round %d: writer %d: %v, want ErrConflict", round, i, err)
			}
		}
		if winner < 0 {
			t.Fatalf("round %d: nobody won", round)
		}
		want, err := look(all[winner].f)
		must(t, err)
		for i, w := range all {
			head, err := w.d.Sync(t.Context(), w.f)
			if err != nil || head.SHA256 != want.commit.SHA256 || int(head.Version) != round+1 {
				t.Fatalf("round %d: after it writer %d has version %d: %v", round, i, head.Version, err)
			}
			got, err := look(w.f)
			if err != nil || len(got.events) != len(want.events) {
				t.Fatalf("round %d: after it writer %d has %d events of %d: %v", round, i, len(got.events), len(want.events), err)
			}
		}
	}
	pulled := newWorker(t, "pull", gateway.URL("race"), product)
	done, err := pulled.d.Pull(t.Context(), pulled.f, store.PullOptions{})
	must(t, err)
	v, err := look(pulled.f)
	must(t, err)
	must(t, follows(pulled.f, v.commit))
	if int(v.commit.Version) != n || v.commit.LastSeq != uint64(len(v.events)) || done.Packs != n {
		t.Errorf("%d rounds made version %d with %d events to seq %d", n, v.commit.Version, len(v.events), v.commit.LastSeq)
	}
	t.Logf("%d rounds, won by each: %v; %v", n, won, faults.did)
}

// recordFaults makes two of the writes of each record fail.
type recordFaults struct {
	mu       sync.Mutex
	random   *rand.Rand
	had, did map[string]int
}

func (f *recordFaults) rule(op servers.Operation) servers.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	fault := servers.Fault{Delay: time.Duration(f.random.IntN(8)) * time.Millisecond}
	if op.Kind != servers.Create || f.had[op.Key] == 2 {
		return fault
	}
	kind := ""
	switch f.random.IntN(6) {
	case 0, 1:
		fault.DropAnswer, kind = true, "lost answers"
	case 2:
		fault.Refuse, kind = servers.Conflict, "409"
	case 3:
		fault.Refuse, kind = servers.SlowDown, "503"
	case 4:
		fault.DropRequest, kind = true, "lost requests"
	default:
		return fault
	}
	f.had[op.Key]++
	f.did[kind]++
	return fault
}
