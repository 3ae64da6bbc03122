package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/transform"
	"mkt/transform/output"
)

type withoutAttacks struct{ provider.LiveAdapter }

func (a withoutAttacks) ReadList(pages []provider.Payload) (provider.LiveSheet, error) {
	s, err := a.LiveAdapter.ReadList(pages)
	for i := range s.Samples {
		s.Samples[i].Counters = nil
	}
	return s, err
}

// Live cycles that retention deleted come back with the bytes that were published, also those between them and the cycle
// that was kept, and after an update of the binary. Anything else is refused and leaves nothing.
func TestDeletedCyclesComeBack(t *testing.T) {
	w := dataroot.New(t, football.LiveIntelligence)
	for i := range 160 {
		s := 20 * i
		w.Cycle(time.Duration(s)*time.Second, nil, dataroot.Answer{Endpoint: "events/inplay", Body: fmt.Sprintf(`{"success":1,"pager":{"page":1,"per_page":1000,"total":1},"results":[
			{"id":"501","sport_id":"1","time":"1795165200","time_status":"1","league":{"id":"1","name":"Coast League"},"home":{"id":"2","name":"Harbour"},"away":{"id":"3","name":"Lighthouse"},
			"ss":"1-0","bet365_id":"9001","timer":{"tm":%d,"ts":%d,"tt":"1","ta":0,"md":0},"stats":{"attacks":["%d","9"]}}]}`, s/60, s%60, i)})
	}
	head, _, err := snapshot.Head(w.Mem)
	check.Must(t, err)
	_, err = retention.Collect(retention.Options{Root: w.Mem, Now: head.PublishedAt, Policy: retention.Default().For(w.Product)}, head)
	check.Must(t, err)
	check.Must(t, w.Mem.Remove(layout.IDKeyFingerprintFile)) // it belongs into a data root
	h := testRoot{w.Mem, durabletest.NewMem(), w.Product}
	cyclesNow := func() int {
		cycles, err := snapshot.CyclesIn(w.Mem, layout.CanonicalDir)
		check.Must(t, err)
		return len(cycles)
	}
	kept := cyclesNow()
	c, err := snapshot.ReadCommit(w.Mem, 40)
	check.Must(t, err)
	if _, _, err := snapshot.OpenCanonical(w.Mem, c.CycleID); err == nil || !h.verify(t, nil).Clean {
		t.Fatalf("retention kept everything: %+v", h.verify(t, nil))
	}
	o := transform.Options{ClientID: "acme", Product: w.Product, Cycle: c.CycleID, Root: w.Mem, Data: h.data, Key: dataroot.Key, Version: "newer",
		Now: func() time.Time { return head.PublishedAt.Add(time.Hour) }}
	changed := o
	changed.Provider = func(string) (provider.Provider, bool) {
		p := betsapi.Provider()
		p.Live = withoutAttacks{p.Live}
		return p, true
	}
	if _, err := transform.Run(t.Context(), changed); !errors.Is(err, output.ErrOtherRows) || cyclesNow() != kept {
		t.Errorf("other rows: %v; %d cycles, %d before", err, cyclesNow(), kept)
	}
	_, err = transform.Run(t.Context(), o)
	check.Must(t, err)
	if report := h.verify(t, nil); !report.Clean || cyclesNow() < kept+30 {
		t.Errorf("%d cycles, %d before: %+v", cyclesNow(), kept, report)
	}
	header := layout.Cycle(layout.CanonicalDir, c.CycleID) + "/" + layout.CanonicalFile
	h.write(t, header, bytes.Replace(h.read(t, header), []byte(`.000Z"`), []byte(`.001Z"`), 1))
	if report := h.verify(t, nil); len(report.Findings) != 1 || report.Findings[0].Code != "CANONICAL_DAMAGED" {
		t.Errorf("another header: %+v", report)
	}
}
