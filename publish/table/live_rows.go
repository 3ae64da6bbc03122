package table

import "time"

// Rows of the live product. In a snapshot, LiveRow and LiveCounterRow hold every fixture in play,
// and those that left play a while ago. The other tables hold only the fixtures of the detail
// set, those with a detail_rank.

// LiveRow is the state of one fixture at one moment. Sorted by fixture_id, unique.
type LiveRow struct {
	FixtureID string     `parquet:"fixture_id" means:"opaque, stable id of the fixture, the market engine's for the same fixture; rows are sorted by it, unique"`
	Home      *string    `parquet:"home,optional" means:"home team as the provider writes it"`
	Away      *string    `parquet:"away,optional" means:"away team as the provider writes it"`
	League    *string    `parquet:"league,optional,dict" means:"league as the provider writes it"`
	StartsAt  *time.Time `parquet:"starts_at,optional,timestamp(millisecond)" means:"kick-off as announced, UTC"`

	InPlay  bool       `parquet:"in_play" means:"false: the fixture left play and is kept for a while"`
	At      time.Time  `parquet:"at,timestamp(millisecond)" means:"when the row was so: the last cycle's look at the fixture, UTC"`
	FreshAt time.Time  `parquet:"fresh_at,timestamp(millisecond)" means:"newest retrieval that told something of the fixture, UTC"`
	StaleAt *time.Time `parquet:"stale_at,optional,timestamp(millisecond)" means:"from then on the row is too old to say anything of the present, unless a newer one is there, UTC; NULL out of play"`

	ClockPeriod  *string `parquet:"clock_period,optional,dict" means:"1H, HT, 2H, BREAK, ET_1H, ET_2H, PEN or FT; NULL when not known"`
	ClockMinute  *int32  `parquet:"clock_minute,optional" means:"minute on the scoreboard: 45:00 begins the second half"`
	ClockSecond  *int32  `parquet:"clock_second,optional" means:"second on the scoreboard"`
	ClockAdded   *int32  `parquet:"clock_added,optional" means:"announced minutes of stoppage time"`
	ClockRunning *bool   `parquet:"clock_running,optional" means:"false in breaks and while the clock is stopped"`
	ScoreHome    *int32  `parquet:"score_home,optional" means:"goals of the home team, without a shoot-out"`
	ScoreAway    *int32  `parquet:"score_away,optional" means:"goals of the away team, without a shoot-out"`

	VisualState     *string    `parquet:"visual_state,optional,dict" means:"state of the newest timeline entry; NULL when there is none yet"`
	VisualSide      *string    `parquet:"visual_side_proven,optional,dict" means:"its side: HOME, AWAY or NONE"`
	VisualCertainty *string    `parquet:"visual_certainty,optional,dict" means:"how it is known: EXACT, INFERRED or UNKNOWN"`
	VisualSince     *time.Time `parquet:"visual_since,optional,timestamp(millisecond)" means:"when it was first observed, UTC"`

	MomentumHome      *int32  `parquet:"momentum_home,optional" means:"rolling-window pressure of the home team, 0 to 100, with momentum_away 100 together; NULL when unavailable"`
	MomentumAway      *int32  `parquet:"momentum_away,optional" means:"the same of the away team"`
	MomentumLeader    *string `parquet:"momentum_leader,optional,dict" means:"HOME, AWAY or BALANCED"`
	MomentumStrength  *string `parquet:"momentum_strength,optional,dict" means:"NONE, SLIGHT, CLEAR or STRONG"`
	MomentumScope     *string `parquet:"momentum_scope,optional,dict" means:"within what momentum may be compared: FIXTURE"`
	UnavailableReason *string `parquet:"unavailable_reason,optional,dict" means:"why there is no momentum; NULL when there is"`

	DetailRank      *int32 `parquet:"detail_rank,optional" means:"place in the detail set, from 1: farthest from 50/50 first; NULL outside it"`
	SeriesMax       *int32 `parquet:"series_max,optional" means:"highest number of any minute of play; NULL outside the detail set"`
	SeriesMaxMinute *int32 `parquet:"series_max_minute,optional" means:"minute of the last bucket, 0 without one; NULL outside the detail set"`

	SourceProvider    string    `parquet:"source_provider,dict" means:"name of the provider the fixture comes from"`
	ProviderFixtureID string    `parquet:"provider_fixture_id" means:"the provider's own id of the fixture"`
	ProviderEventID   *string   `parquet:"provider_event_id,optional" means:"the provider's own id of the live record"`
	ProviderFetchedAt time.Time `parquet:"provider_fetched_at,timestamp(millisecond)" means:"newest retrieval from the provider that held the fixture, UTC; not before fresh_at"`
	Absent            []string  `parquet:"absent,list,dict" means:"columns of this row that the provider did not send at all"`
}

// LiveCounterRow is one metric of both sides. Sorted by fixture_id, metric. A metric not sent for
// a fixture has no row.
type LiveCounterRow struct {
	FixtureID string   `parquet:"fixture_id,dict" means:"fixture the counter belongs to; first sort key"`
	Metric    string   `parquet:"metric,dict" means:"name of the metric; one outside the closed set keeps the provider's name; second sort key"`
	State     string   `parquet:"state,dict" means:"both sides in one word: VALUE (either is not zero), ZERO (a real zero), MISSING (not sent), NULL (sent without a value)"`
	HomeText  *string  `parquet:"home_text,optional,dict" means:"the home team's number exactly as the provider wrote it"`
	Home      *float64 `parquet:"home,optional" means:"the same as a number"`
	AwayText  *string  `parquet:"away_text,optional,dict" means:"the away team's number exactly as the provider wrote it"`
	Away      *float64 `parquet:"away,optional" means:"the same as a number"`
	Absent    []string `parquet:"absent,list,dict" means:"home, away: the sides that the provider did not send at all"`
}

// LiveTimelineRow is one state of play. Sorted by fixture_id, ordinal.
type LiveTimelineRow struct {
	FixtureID  string     `parquet:"fixture_id,dict" means:"fixture the entry belongs to; first sort key"`
	Ordinal    int32      `parquet:"ordinal" means:"place of the entry, from 0, oldest first; second sort key"`
	At         time.Time  `parquet:"at,timestamp(millisecond)" means:"when the state was observed, UTC; an event that the provider listed late begins when the entry behind it does"`
	Half       *int32     `parquet:"half,optional" means:"half the entry belongs to: 1 and 2, 3 and 4 of extra time; NULL before kick-off and when not known"`
	Minute     *int32     `parquet:"minute,optional" means:"minute on the scoreboard, never less than that of the entry before; all stoppage time of a half is 45, 90, 105 or 120; NULL when no timer was sent"`
	Second     *int32     `parquet:"second,optional" means:"second on the scoreboard, 0 in stoppage time; NULL when no timer was sent"`
	Added      *int32     `parquet:"added,optional" means:"minute of stoppage time, from 1; NULL outside it"`
	State      string     `parquet:"state,dict" means:"state of play; STALE: the feed was too old to say"`
	Certainty  string     `parquet:"certainty,dict" means:"EXACT (a provider's event that has a time), INFERRED (counters, score or clock moved) or UNKNOWN"`
	SideProven string     `parquet:"side_proven,dict" means:"side the state is proven for: HOME, AWAY or NONE"`
	Until      time.Time  `parquet:"until,timestamp(millisecond)" means:"when the next entry begins; of the newest entry its last observation, UTC"`
	ListedAt   *time.Time `parquet:"listed_at,optional,timestamp(millisecond)" means:"when the provider's own list first held the event, UTC; NULL unless EXACT"`
}

// LiveBucketRow is the pressure of one minute of play. Sorted by fixture_id,
// minute, added.
type LiveBucketRow struct {
	FixtureID string `parquet:"fixture_id,dict" means:"fixture the minute belongs to; first sort key"`
	Minute    int32  `parquet:"minute" means:"minute of play under way, from 1; 45, 90, 105 or 120 in stoppage time; second sort key"`
	Added     int32  `parquet:"added" means:"minute of stoppage time, from 1; 0 outside it; third sort key"`
	State     string `parquet:"state,dict" means:"VALUE, ZERO (a real zero), MISSING (not sent, or not seen) or NULL (sent without a value), of the attacks that carry the number"`
	Home      *int32 `parquet:"home,optional" means:"pressure points of the home team; NULL unless state is VALUE or ZERO"`
	Away      *int32 `parquet:"away,optional" means:"pressure points of the away team; NULL unless state is VALUE or ZERO"`
}

// LivePeriodRow is the sum of the minutes of one half. Sorted by fixture_id, half.
type LivePeriodRow struct {
	FixtureID string `parquet:"fixture_id,dict" means:"fixture the half belongs to; first sort key"`
	Half      int32  `parquet:"half" means:"1 and 2, 3 and 4 of extra time; second sort key"`
	State     string `parquet:"state,dict" means:"VALUE or ZERO when every minute of the half has a number; else MISSING, or NULL when all that lacks was sent without a value"`
	Home      *int32 `parquet:"home,optional" means:"sum of the home team's minutes; NULL unless state is VALUE or ZERO"`
	Away      *int32 `parquet:"away,optional" means:"sum of the away team's minutes; NULL unless state is VALUE or ZERO"`
	Minutes   *int32 `parquet:"minutes,optional" means:"how many minutes the half has so far, stoppage time included"`
	Known     *int32 `parquet:"minutes_known,optional" means:"how many of them have a number"`
	KnownHome *int32 `parquet:"home_known,optional" means:"sum of the home team's minutes that have a number; NULL when none has"`
	KnownAway *int32 `parquet:"away_known,optional" means:"sum of the away team's minutes that have a number; NULL when none has"`
}

// LiveStateRow is the state of one fixture from which the next cycle begins (canonical only).
// Sorted by fixture_id, unique.
type LiveStateRow struct {
	FixtureID         string    `parquet:"fixture_id" means:"opaque, stable id of the fixture; rows are sorted by it, unique"`
	ProviderFixtureID string    `parquet:"provider_fixture_id" means:"the provider's own id of the fixture"`
	ProviderEventID   *string   `parquet:"provider_event_id,optional" means:"the provider's own id of the live record"`
	FetchedAt         time.Time `parquet:"fetched_at,timestamp(millisecond)" means:"newest retrieval from the provider that held the fixture, UTC"`
	State             []byte    `parquet:"state" means:"all that the next cycle begins from, in a versioned encoding"`
}
