package decode_test

import (
	"slices"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// An item that is on a live list twice is used as it was sent last, unless the two are of
// different fixtures.
func TestOneLiveIDTwice(t *testing.T) {
	sample := func(home, away string, goals int) input.Sample {
		return input.Sample{Home: football.Of(home), Away: football.Of(away), Score: football.Score{Home: football.Of(goals)}}
	}
	for _, c := range []struct {
		name   string
		second input.Sample
		goals  int // -1 if neither is used
	}{
		{"the same teams", sample("A", "B", 2), 2},
		{"other teams", sample("C", "D", 2), -1},
		{"swapped sides", sample("B", "A", 2), -1},
	} {
		l := decode.NewLive()
		for _, s := range []input.Sample{sample("A", "B", 1), c.second} {
			l.Count("")
			l.Found("1")
			l.Keep("1", s)
		}
		sheet, err := l.Sheet([]provider.Payload{{}})
		used := len(sheet.Samples) == 1 && sheet.Samples[0].Score.Home == football.Of(c.goals)
		if isUnread := slices.Equal(sheet.Unread, []string{"1"}); err != nil || !sheet.Complete || isUnread == used || c.goals >= 0 && !used || c.goals < 0 && (len(sheet.Samples) > 0 || sheet.Broken[decode.TwoFixtures] != 1) {
			t.Errorf("%s: %+v, %v", c.name, sheet, err)
		}
	}
}
