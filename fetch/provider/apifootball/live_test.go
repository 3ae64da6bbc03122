package apifootball_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
)

var live = apifootball.Provider().Live

// TestLiveGolden reads a list of matches in play and a payload of details.
func TestLiveGolden(t *testing.T) {
	providertest.Compare(t, "testdata/live.txtar", *update, func(a *txtar.Archive) string {
		var b strings.Builder
		list, err := live.ReadList([]provider.Payload{{Number: 1, Endpoint: "fixtures/live", FetchedAt: fetchedAt, Body: a.Files[0].Data}})
		if err != nil {
			t.Fatal(err)
		}
		writeLive(&b, "list", list)
		detail, err := live.ReadDetail(provider.Payload{Number: 2, Endpoint: "fixtures/ids", FetchedAt: fetchedAt, Body: a.Files[1].Data})
		if err != nil {
			t.Fatal(err)
		}
		writeLive(&b, "detail", detail)
		return b.String()
	})
}

var statuses = map[input.PlayStatus]string{input.NotStarted: "not started", input.InPlay: "in play", input.Halted: "halted", input.Over: "over", input.Off: "off"}

func writeLive(b *strings.Builder, what string, s provider.LiveSheet) {
	fmt.Fprintf(b, "%s, complete %v\n", what, s.Complete)
	for i := range s.Samples {
		x := &s.Samples[i]
		c := x.Clock
		fmt.Fprintf(b, "%s: %s - %s, %s, %s, %s-%s\n", x.ProviderFixtureID, providertest.Said(x.Home), providertest.Said(x.Away), providertest.Said(x.League), statuses[x.Status], providertest.Said(x.Score.Home), providertest.Said(x.Score.Away))
		fmt.Fprintf(b, "  half %s, minute %s, second %s, added %s, running %s\n", providertest.Said(c.Half), providertest.Said(c.Minute), providertest.Said(c.Second), providertest.Said(c.Added), providertest.Said(c.Running))
		if x.CountersNotAsked {
			b.WriteString("  no counters in the answer\n")
		}
		for _, k := range x.Counters {
			fmt.Fprintf(b, "  %s %s/%s\n", k.Metric, number(k.Home), number(k.Away))
		}
		incidents, ok := x.Incidents.Get()
		if !ok {
			fmt.Fprintf(b, "  incidents %s\n", providertest.Said(x.Incidents))
		}
		for _, e := range incidents {
			fmt.Fprintf(b, "  %d+%d %s %s %q id %s\n", e.Minute, e.Added, e.Kind, e.Side, e.Text, e.ID)
		}
	}
	providertest.WriteCounts(b, "filtered", s.Filtered)
	providertest.WriteCounts(b, "broken", s.Broken)
	providertest.WriteCounts(b, "damaged", s.Damaged)
	providertest.WriteCounts(b, "unknown", s.Unknown)
}

func number(f football.Field[football.Number]) string {
	if n, ok := f.Get(); ok {
		return n.Text()
	}
	return providertest.Said(f)
}
