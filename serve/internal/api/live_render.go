package api

import (
	"mkt/publish/football"
	"mkt/publish/table"
)

// Contract words for the states of a bucket or period (frozen, verbatim).
var bucketWords = map[football.BucketState]string{
	football.BucketValue:   "VLERE",
	football.BucketZero:    "ZERO",
	football.BucketMissing: "MUNGON",
	football.BucketNull:    "NULL",
}

// halfKeys are the contract's keys of the halves, from the first.
var halfKeys = []string{"pjesa_1", "pjesa_2", "shtesa_1", "shtesa_2"}

// bucketWord returns the contract's word for a stored state. An unknown state is
// reported as not sent, so that clients do not use its number.
func bucketWord(state string) string {
	if word, ok := bucketWords[football.BucketState(state)]; ok {
		return word
	}
	return bucketWords[football.BucketMissing]
}

func appendLiveHead(dst []byte, r *table.LiveRow) []byte {
	dst = addText(dst, `{"fixture_id":`, r.FixtureID)
	dst = addTextOrNull(dst, `,"home":`, r.Home)
	dst = addTextOrNull(dst, `,"away":`, r.Away)
	dst = addTextOrNull(dst, `,"league":`, r.League)
	dst = addTimeOrNull(dst, `,"starts_at":`, r.StartsAt)
	dst = addTextOrNull(dst, `,"clock":{"period":`, r.ClockPeriod)
	dst = addIntOrNull(dst, `,"minute":`, r.ClockMinute)
	dst = addIntOrNull(dst, `,"second":`, r.ClockSecond)
	dst = addIntOrNull(dst, `,"added":`, r.ClockAdded)
	if r.ClockRunning == nil {
		dst = append(dst, `,"running":null`...)
	} else {
		dst = addBool(dst, `,"running":`, *r.ClockRunning)
	}
	dst = addIntOrNull(dst, `},"score":{"home":`, r.ScoreHome)
	dst = addIntOrNull(dst, `,"away":`, r.ScoreAway)
	return append(dst, '}')
}

// appendLiveTail appends the end of a listed live fixture without its closing brace.
func appendLiveTail(dst []byte, r *table.LiveRow) []byte {
	dst = addBool(dst, `,"detail_available":`, r.DetailRank != nil)
	dst = addIntOrNull(dst, `,"timeline_revision":`, r.TimelineRevision)
	dst = addNonEmpty(dst, `,"provenance":{"source_provider":`, r.SourceProvider)
	dst = addText(dst, `,"provider_fixture_id":`, r.ProviderFixtureID)
	dst = addAbsent(dst, r.Absent)
	return append(dst, '}')
}

// appendLiveDetail appends the fields that only the single live fixture has. It has
// every metric of the closed set; one that was not sent has that state.
func appendLiveDetail(dst []byte, r *table.LiveRow, counters []table.LiveCounterRow) []byte {
	dst = addBool(dst, `,"in_play":`, r.InPlay)
	dst = append(dst, `,"counters":{`...)
	sent := map[string]bool{}
	for i := range counters {
		sent[counters[i].Metric] = true
		dst = append(addCounter(dst, &counters[i]), ',')
	}
	for _, m := range football.Metrics() {
		if !sent[string(m)] {
			dst = append(addCounter(dst, &table.LiveCounterRow{Metric: string(m), State: string(football.BucketMissing)}), ',')
		}
	}
	dst = dst[:len(dst)-1] // every metric is there, so there is a comma
	dst = addText(dst, `},"timeline_url":`, livePath(r.FixtureID, "timeline"))
	dst = addText(dst, `,"momentum_url":`, livePath(r.FixtureID, "momentum"))
	return addText(dst, `,"statistics_url":`, livePath(r.FixtureID, "stats"))
}

// addCounter adds a metric with both sides, in the provider's own digits. If only one
// side was sent, the other is named in absent.
func addCounter(dst []byte, c *table.LiveCounterRow) []byte {
	dst = appendString(dst, c.Metric)
	dst = addText(dst, `:{"state":`, bucketWord(c.State))
	dst = addDigits(dst, `,"home":`, c.HomeText)
	dst = addDigits(dst, `,"away":`, c.AwayText)
	if c.State != string(football.BucketMissing) {
		dst = addAbsent(dst, c.Absent)
	}
	return append(dst, '}')
}

func appendEntry(dst []byte, e *table.LiveTimelineRow) []byte {
	dst = addTime(dst, `{"at":`, e.At)
	dst = addIntOrNull(dst, `,"minute":`, e.Minute)
	dst = addIntOrNull(dst, `,"second":`, e.Second)
	dst = addText(dst, `,"state":`, e.State)
	dst = addText(dst, `,"certainty":`, e.Certainty)
	dst = addText(dst, `,"side_proven":`, e.SideProven)
	dst = addTime(dst, `,"until":`, e.Until)
	dst = addIntIfAny(dst, `,"added":`, e.Added)
	if e.EntryID != nil { // a publication of an older build has none
		dst = addText(dst, `,"entry_id":`, *e.EntryID)
	}
	return append(dst, '}')
}

func appendWithdrawn(dst []byte, w *table.WithdrawnRow) []byte {
	dst = addText(dst, `{"entry_id":`, w.EntryID)
	dst = addText(dst, `,"state":`, w.State)
	dst = addText(dst, `,"side_proven":`, w.SideProven)
	dst = addIntOrNull(dst, `,"minute":`, w.Minute)
	dst = addIntOrNull(dst, `,"second":`, w.Second)
	dst = addIntIfAny(dst, `,"added":`, w.Added)
	dst = addTime(dst, `,"at":`, w.At)
	dst = addTime(dst, `,"shown_from":`, w.ShownFrom)
	dst = addTime(dst, `,"withdrawn_at":`, w.WithdrawnAt)
	dst = addText(dst, `,"reason":`, w.Reason)
	dst = addTextOrNull(dst, `,"replaced_by":`, w.ReplacedBy)
	return append(dst, '}')
}

func appendStats(dst []byte, r *table.LiveRow, buckets []table.LiveBucketRow, periods []table.LivePeriodRow) []byte {
	dst = addText(dst, `{"fixture_id":`, r.FixtureID)
	dst = addInt(dst, `,"series":{"maxi":`, orZero(r.SeriesMax))
	dst = addInt(dst, `,"tm_max":`, orZero(r.SeriesMaxMinute))
	dst = appendArray(append(dst, `,"kova":`...), buckets, appendBucket)
	dst = append(dst, `},"periods":{`...)
	comma := ""
	for _, p := range periods {
		if p.Half < 1 || int(p.Half) > len(halfKeys) {
			continue // the contract has no key for it
		}
		home, away := numbers(p.State, p.Home, p.Away)
		dst = append(dst, comma...)
		dst = appendString(dst, halfKeys[p.Half-1])
		dst = addText(dst, `:{"state":`, bucketWord(p.State))
		dst = addIntOrNull(dst, `,"home":`, home)
		dst = addIntOrNull(dst, `,"away":`, away)
		dst = addIntIfAny(dst, `,"minutes":`, p.Minutes)
		dst = addIntIfAny(dst, `,"minutes_known":`, p.Known)
		dst = addIntIfAny(dst, `,"home_known":`, p.KnownHome)
		dst = addIntIfAny(dst, `,"away_known":`, p.KnownAway)
		dst = append(dst, '}')
		comma = ","
	}
	return append(dst, "}}"...)
}

func appendBucket(dst []byte, b *table.LiveBucketRow) []byte {
	home, away := numbers(b.State, b.Home, b.Away)
	dst = addInt(dst, `{"tm":`, int64(b.Minute))
	dst = addIntOrNull(dst, `,"h":`, home)
	dst = addIntOrNull(dst, `,"a":`, away)
	dst = addText(dst, `,"state":`, bucketWord(b.State))
	if b.Added > 0 {
		dst = addInt(dst, `,"added":`, int64(b.Added))
	}
	return append(dst, '}')
}

// numbers returns the two sides if the state has numbers, else nil.
func numbers(state string, home, away *int32) (h, a *int32) {
	switch football.BucketState(state) {
	case football.BucketValue, football.BucketZero:
		return home, away
	}
	return nil, nil
}

func livePath(id, what string) string { return Root + "/live/" + id + "/" + what }

// addIntIfAny adds an optional field, which is left out if it has no number.
func addIntIfAny(dst []byte, name string, n *int32) []byte {
	if n == nil {
		return dst
	}
	return addInt(dst, name, int64(*n))
}

func orZero(n *int32) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}
