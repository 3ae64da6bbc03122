package publish_test

import (
	"fmt"
	"maps"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/publish"
)

// consumer follows the change log as docs/clients.md says: it pages through the dataset,
// continues after its last seq, and fetches what an event names. Sometimes it crashes and
// continues from what it had saved.
type consumer struct {
	*randomHistory
	position
	saved position
	lost  bool // a restore has made the position invalid
}

// position is the state that a consumer saves, with the dataset that it has built.
type position struct {
	history  string // "" before the beginning
	seq      uint64
	fixtures map[int]int
}

func (p position) copied() position {
	p.fixtures = maps.Clone(p.fixtures)
	return p
}

func (k *consumer) poll() {
	switch k.random.IntN(10) {
	case 0:
		k.position = k.saved.copied()
		k.did["consumers that died"]++
	case 1:
		k.saved = k.position.copied()
	}
	if v := k.read(); v != nil {
		k.page(v, 1+k.random.IntN(20))
	}
	k.did["polls"]++
}

func (k *consumer) drain() {
	for v := k.read(); v != nil && !k.t.Failed() && (k.history != v.commit.HistoryID || k.seq != v.commit.LastSeq); {
		k.page(v, 100)
	}
}

// page does what GET /changes does with a cursor.
func (k *consumer) page(v *view, limit int) {
	window := v.commit.Window()
	if k.history != v.commit.HistoryID || k.seq+1 < window.First {
		k.begin(v)
		return
	}
	if k.lost || k.seq > window.Last {
		k.t.Errorf("a position at %d is taken, and the window is %+v", k.seq, window)
	}
	k.take(v, limit)
	if k.seq != v.commit.LastSeq {
		return
	}
	if diff := cmp.Diff(v.fixtures, k.fixtures); diff != "" {
		k.t.Errorf("at seq %d the log leads elsewhere than to the dataset: %s", k.seq, diff)
	}
}

// begin pages through the dataset: at first, and if the position is INVALID_CURSOR, which
// is only allowed when the next event is a week old.
func (k *consumer) begin(v *view) {
	window := v.commit.Window()
	switch {
	case k.history == "":
	case k.history != v.commit.HistoryID:
		if k.seq+1 >= window.First {
			k.t.Errorf("a number from before a restore, %d, fits into the window %+v", k.seq, window)
		}
		k.did["positions lost to a restore"]++
	default:
		if next, known := k.log.Published(k.history, k.seq+1); !known || v.commit.PublishedAt.Sub(next) < 7*24*time.Hour {
			k.t.Errorf("the position at %d is lost at %v, and the next event is of %v: %+v", k.seq, v.commit.PublishedAt, next, window)
		}
		k.did["positions lost to the window"]++
	}
	k.position = position{v.commit.HistoryID, v.commit.LastSeq, maps.Clone(v.fixtures)}
	k.saved, k.lost = k.position.copied(), false
}

// take reads the next events.
func (k *consumer) take(v *view, limit int) {
	for e, err := range k.log.Events(k.f, v.commit, v.manifest, k.seq) {
		if limit--; limit < 0 {
			return
		}
		if err != nil {
			k.t.Errorf("behind %d: %v", k.seq, err)
			return
		}
		k.seq = uint64(e.Seq)
		k.did["events delivered"]++
		k.apply(v, e.Type, e.FixtureID)
	}
}

func (k *consumer) apply(v *view, kind, id string) {
	var n int
	fmt.Sscanf(id, "fx_%d", &n)
	now, there := v.fixtures[n]
	if kind == publish.Removed || !there {
		delete(k.fixtures, n)
		return
	}
	k.fixtures[n] = now
}
