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

// bucketWord is the contract's word of a stored state. One that is not known is
// told as not sent: no number may be read into it.
func bucketWord(state string) string {
	if word, ok := bucketWords[football.BucketState(state)]; ok {
		return word
	}
	return bucketWords[football.BucketMissing]
}

// appendLiveHead appends a live fixture from its id to its score.
func appendLiveHead(dst []byte, r *table.LiveRow) []byte {
	dst = append(dst, `{"fixture_id":`...)
	dst = appendString(dst, r.FixtureID)
	dst = append(dst, `,"home":`...)
	dst = appendStringOrNull(dst, r.Home)
	dst = append(dst, `,"away":`...)
	dst = appendStringOrNull(dst, r.Away)
	dst = append(dst, `,"league":`...)
	dst = appendStringOrNull(dst, r.League)
	dst = append(dst, `,"starts_at":`...)
	dst = appendTimeOrNull(dst, r.StartsAt)
	dst = append(dst, `,"clock":{"period":`...)
	dst = appendStringOrNull(dst, r.ClockPeriod)
	dst = append(dst, `,"minute":`...)
	dst = appendIntOrNull(dst, r.ClockMinute)
	dst = append(dst, `,"second":`...)
	dst = appendIntOrNull(dst, r.ClockSecond)
	dst = append(dst, `,"added":`...)
	dst = appendIntOrNull(dst, r.ClockAdded)
	dst = append(dst, `,"running":`...)
	if r.ClockRunning == nil {
		dst = append(dst, "null"...)
	} else {
		dst = appendBool(dst, *r.ClockRunning)
	}
	dst = append(dst, `},"score":{"home":`...)
	dst = appendIntOrNull(dst, r.ScoreHome)
	dst = append(dst, `,"away":`...)
	dst = appendIntOrNull(dst, r.ScoreAway)
	return append(dst, '}')
}

// appendLiveTail appends the end of a listed live fixture without its brace.
func appendLiveTail(dst []byte, r *table.LiveRow) []byte {
	dst = append(dst, `,"detail_available":`...)
	dst = appendBool(dst, r.DetailRank != nil)
	dst = append(dst, `,"provenance":{"source_provider":`...)
	if r.SourceProvider == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, r.SourceProvider)
	}
	dst = append(dst, `,"provider_fixture_id":`...)
	dst = appendString(dst, r.ProviderFixtureID)
	dst = appendAbsent(dst, r.Absent)
	return append(dst, '}')
}

// appendLiveDetail appends what the single live fixture has in addition. Every
// metric of the closed set is there; one that was not sent says so.
func appendLiveDetail(dst []byte, r *table.LiveRow, counters []table.LiveCounterRow) []byte {
	dst = append(dst, `,"in_play":`...)
	dst = appendBool(dst, r.InPlay)
	dst = append(dst, `,"counters":{`...)
	sent := map[string]bool{}
	for i := range counters {
		if i > 0 {
			dst = append(dst, ',')
		}
		sent[counters[i].Metric] = true
		dst = appendCounter(dst, &counters[i])
	}
	for _, m := range football.Metrics() {
		if sent[string(m)] {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = appendCounter(dst, &table.LiveCounterRow{Metric: string(m), State: string(football.BucketMissing)})
	}
	dst = append(dst, `},"timeline_url":"`...)
	dst = appendLivePath(dst, r.FixtureID, "timeline")
	dst = append(dst, `","momentum_url":"`...)
	dst = appendLivePath(dst, r.FixtureID, "momentum")
	dst = append(dst, `","statistics_url":"`...)
	dst = appendLivePath(dst, r.FixtureID, "stats")
	return append(dst, '"')
}

// appendCounter appends a metric with both sides, in the provider's own digits.
// A side that was not sent beside one that was is named in absent.
func appendCounter(dst []byte, c *table.LiveCounterRow) []byte {
	dst = appendString(dst, c.Metric)
	dst = append(dst, `:{"state":`...)
	dst = appendString(dst, bucketWord(c.State))
	dst = append(dst, `,"home":`...)
	dst = appendDigits(dst, c.HomeText)
	dst = append(dst, `,"away":`...)
	dst = appendDigits(dst, c.AwayText)
	if c.State != string(football.BucketMissing) {
		dst = appendAbsent(dst, c.Absent)
	}
	return append(dst, '}')
}

// appendTimeline appends the entries, each with a comma behind it.
func appendTimeline(dst []byte, entries []table.LiveTimelineRow) []byte {
	for i := range entries {
		dst = append(appendEntry(dst, &entries[i]), ',')
	}
	return dst
}

func appendEntry(dst []byte, e *table.LiveTimelineRow) []byte {
	dst = append(dst, `{"at":`...)
	dst = appendTime(dst, e.At)
	dst = append(dst, `,"minute":`...)
	dst = appendIntOrNull(dst, e.Minute)
	dst = append(dst, `,"second":`...)
	dst = appendIntOrNull(dst, e.Second)
	dst = append(dst, `,"state":`...)
	dst = appendString(dst, e.State)
	dst = append(dst, `,"certainty":`...)
	dst = appendString(dst, e.Certainty)
	dst = append(dst, `,"side_proven":`...)
	dst = appendString(dst, e.SideProven)
	dst = append(dst, `,"until":`...)
	dst = appendTime(dst, e.Until)
	return append(dst, '}')
}

// appendStats appends the stats response.
func appendStats(dst []byte, r *table.LiveRow, buckets []table.LiveBucketRow, periods []table.LivePeriodRow) []byte {
	dst = append(dst, `{"fixture_id":`...)
	dst = appendString(dst, r.FixtureID)
	dst = append(dst, `,"series":{"maxi":`...)
	dst = appendIntOrZero(dst, r.SeriesMax)
	dst = append(dst, `,"tm_max":`...)
	dst = appendIntOrZero(dst, r.SeriesMaxMinute)
	dst = append(dst, `,"kova":[`...)
	for i, b := range buckets {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"tm":`...)
		dst = appendInt(dst, int64(b.Minute))
		home, away := numbers(b.State, b.Home, b.Away)
		dst = append(dst, `,"h":`...)
		dst = appendIntOrNull(dst, home)
		dst = append(dst, `,"a":`...)
		dst = appendIntOrNull(dst, away)
		dst = append(dst, `,"state":`...)
		dst = appendString(dst, bucketWord(b.State))
		if b.Added > 0 {
			dst = append(dst, `,"added":`...)
			dst = appendInt(dst, int64(b.Added))
		}
		dst = append(dst, '}')
	}
	dst = append(dst, `]},"periods":{`...)
	for _, p := range periods {
		if p.Half < 1 || int(p.Half) > len(halfKeys) {
			continue // the contract has no key for it
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = appendString(dst, halfKeys[p.Half-1])
		home, away := numbers(p.State, p.Home, p.Away)
		dst = append(dst, `:{"state":`...)
		dst = appendString(dst, bucketWord(p.State))
		dst = append(dst, `,"home":`...)
		dst = appendIntOrNull(dst, home)
		dst = append(dst, `,"away":`...)
		dst = appendIntOrNull(dst, away)
		dst = append(dst, '}')
	}
	return append(dst, "}}"...)
}

// numbers are the two sides of a state that has numbers; nil of one that has none.
func numbers(state string, home, away *int32) (h, a *int32) {
	switch football.BucketState(state) {
	case football.BucketValue, football.BucketZero:
		return home, away
	}
	return nil, nil
}

func appendLivePath(dst []byte, id, what string) []byte {
	dst = append(dst, Root+"/live/"...)
	dst = append(dst, id...)
	dst = append(dst, '/')
	return append(dst, what...)
}

func appendIntOrNull(dst []byte, n *int32) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	return appendInt(dst, int64(*n))
}

func appendIntOrZero(dst []byte, n *int32) []byte {
	if n == nil {
		return append(dst, '0')
	}
	return appendInt(dst, int64(*n))
}
