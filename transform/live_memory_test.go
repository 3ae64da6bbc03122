package transform_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/transform/reading"
	"mkt/transform/tracking"
)

// remembered returns the answers of a cycle as its fetch leaves them in memory.
func remembered(t *testing.T, root durable.FS, k tick) *raw.Received {
	t.Helper()
	archive, err := raw.Open(root, k.id())
	must(t, err)
	received := new(raw.Received)
	for _, r := range archive.Responses() {
		p, err := archive.Payload(r)
		must(t, err)
		v := betsapi.Classify(r.Status, nil, p.Body)
		if v.Kind != provider.Accepted {
			t.Fatalf("%s: %+v", r.Endpoint, v)
		}
		p.Document = v.Document
		received.Keep(r, p)
	}
	return received
}

// States in memory give the bytes that the files give, and the files are not read: they are
// damaged here.
func TestLiveFromMemory(t *testing.T) {
	all := stories()
	long := minutes(12)
	for i := range long {
		s := 600 + 8*i
		long[i].views = []string{item("501", "9001", s/60, s%60, `"events":[{"id":"77","text":"9' - 2nd Corner - Home 501"}]`)}
	}
	all["details"] = story{"9001", "501", long}
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			files1, files2, states := newMem(), newMem(), new(tracking.States)
			for _, k := range s.ticks {
				must(t, k.archive(files1))
				must(t, k.archive(files2))
				received := remembered(t, files2, k)
				damage(t, files2, layout.Cycle(layout.RawDir, k.id())+"/"+layout.RawAnswers)
				want, wantErr := k.transform(files1)
				got, err := k.transformWith(files2, received, states)
				received.Release()
				if errors.Is(wantErr, reading.ErrQuarantined) && errors.Is(err, reading.ErrQuarantined) {
					continue
				}
				must(t, wantErr)
				must(t, err)
				got.Took, want.Took = 0, 0
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%v: summary:\n%s", k.after, d)
				}
				dir := layout.Cycle(layout.CanonicalDir, k.id())
				if d := cmp.Diff(files(t, files1, dir), files(t, files2, dir)); d != "" {
					t.Fatalf("%v: other files:\n%s", k.after, d)
				}
				damage(t, files2, dir+"/"+layout.LiveStatesFile)
			}
		})
	}
}

// States of another cycle are not used, even if the account is the same.
func TestLiveStatesOfAnotherCycle(t *testing.T) {
	root, states, ticks := newMem(), new(tracking.States), minutes(4)
	for _, k := range ticks[:3] {
		must(t, k.archive(root))
	}
	_, err := ticks[0].transformWith(root, nil, states)
	must(t, err)
	play(t, root, ticks[3]) // which transforms the two before it, elsewhere
	damage(t, root, layout.Cycle(layout.CanonicalDir, ticks[3].id())+"/"+layout.LiveStatesFile)
	next := at(40, ticks[3].items...)
	must(t, next.archive(root))
	if _, err := next.transformWith(root, nil, states); err == nil {
		t.Error("states were used that are not those of the cycle before")
	}
}
