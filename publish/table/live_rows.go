package table

import "time"

// Rows of the live product. A snapshot holds every fixture in play, and those
// that left play a while ago, in LiveRow and LiveCounterRow; the other tables hold
// the fixtures of the detail set, those with a detail_rank.

// LiveRow is one fixture as it stood at one moment. Sorted by fixture_id, unique.
type LiveRow struct {
	FixtureID string     `parquet:"fixture_id"`
	Home      *string    `parquet:"home,optional"`
	Away      *string    `parquet:"away,optional"`
	League    *string    `parquet:"league,optional,dict"`
	StartsAt  *time.Time `parquet:"starts_at,optional,timestamp(millisecond)"`

	InPlay  bool       `parquet:"in_play"`
	At      time.Time  `parquet:"at,timestamp(millisecond)"`
	FreshAt time.Time  `parquet:"fresh_at,timestamp(millisecond)"`
	StaleAt *time.Time `parquet:"stale_at,optional,timestamp(millisecond)"`

	ClockPeriod  *string `parquet:"clock_period,optional,dict"`
	ClockMinute  *int32  `parquet:"clock_minute,optional"`
	ClockSecond  *int32  `parquet:"clock_second,optional"`
	ClockAdded   *int32  `parquet:"clock_added,optional"`
	ClockRunning *bool   `parquet:"clock_running,optional"`
	ScoreHome    *int32  `parquet:"score_home,optional"`
	ScoreAway    *int32  `parquet:"score_away,optional"`

	VisualState     *string    `parquet:"visual_state,optional,dict"`
	VisualSide      *string    `parquet:"visual_side_proven,optional,dict"`
	VisualCertainty *string    `parquet:"visual_certainty,optional,dict"`
	VisualSince     *time.Time `parquet:"visual_since,optional,timestamp(millisecond)"`

	MomentumHome      *int32  `parquet:"momentum_home,optional"`
	MomentumAway      *int32  `parquet:"momentum_away,optional"`
	MomentumLeader    *string `parquet:"momentum_leader,optional,dict"`
	MomentumStrength  *string `parquet:"momentum_strength,optional,dict"`
	MomentumScope     *string `parquet:"momentum_scope,optional,dict"`
	UnavailableReason *string `parquet:"unavailable_reason,optional,dict"`

	DetailRank      *int32 `parquet:"detail_rank,optional"`
	SeriesMax       *int32 `parquet:"series_max,optional"`
	SeriesMaxMinute *int32 `parquet:"series_max_minute,optional"`

	SourceProvider    string    `parquet:"source_provider,dict"`
	ProviderFixtureID string    `parquet:"provider_fixture_id"`
	ProviderEventID   *string   `parquet:"provider_event_id,optional"`
	ProviderFetchedAt time.Time `parquet:"provider_fetched_at,timestamp(millisecond)"`
	Absent            []string  `parquet:"absent,list,dict"`
}

// LiveCounterRow is one metric of both sides. Sorted by fixture_id, metric. A
// metric that was not sent for a fixture has no row.
type LiveCounterRow struct {
	FixtureID string   `parquet:"fixture_id,dict"`
	Metric    string   `parquet:"metric,dict"`
	State     string   `parquet:"state,dict"` // a football.BucketState: VALUE, ZERO, MISSING, NULL
	HomeText  *string  `parquet:"home_text,optional,dict"`
	Home      *float64 `parquet:"home,optional"` // the same, to compute with
	AwayText  *string  `parquet:"away_text,optional,dict"`
	Away      *float64 `parquet:"away,optional"`
	Absent    []string `parquet:"absent,list,dict"`
}

// LiveTimelineRow is one state of play. Sorted by fixture_id, ordinal.
type LiveTimelineRow struct {
	FixtureID  string     `parquet:"fixture_id,dict"`
	Ordinal    int32      `parquet:"ordinal"`
	At         time.Time  `parquet:"at,timestamp(millisecond)"`
	Half       *int32     `parquet:"half,optional"`
	Minute     *int32     `parquet:"minute,optional"`
	Second     *int32     `parquet:"second,optional"`
	State      string     `parquet:"state,dict"`
	Certainty  string     `parquet:"certainty,dict"`
	SideProven string     `parquet:"side_proven,dict"`
	Until      time.Time  `parquet:"until,timestamp(millisecond)"`
	ListedAt   *time.Time `parquet:"listed_at,optional,timestamp(millisecond)"`
}

// LiveBucketRow is the pressure of one minute of play. Sorted by fixture_id,
// minute, added.
type LiveBucketRow struct {
	FixtureID string `parquet:"fixture_id,dict"`
	Minute    int32  `parquet:"minute"`
	Added     int32  `parquet:"added"`
	State     string `parquet:"state,dict"`
	Home      *int32 `parquet:"home,optional"`
	Away      *int32 `parquet:"away,optional"`
}

// LivePeriodRow is the sum of the minutes of one half. Sorted by fixture_id, half.
type LivePeriodRow struct {
	FixtureID string `parquet:"fixture_id,dict"`
	Half      int32  `parquet:"half"`
	State     string `parquet:"state,dict"`
	Home      *int32 `parquet:"home,optional"`
	Away      *int32 `parquet:"away,optional"`
}

// LiveStateRow is what the next cycle begins from, one fixture (canonical only).
// Sorted by fixture_id, unique.
type LiveStateRow struct {
	FixtureID         string    `parquet:"fixture_id"`
	ProviderFixtureID string    `parquet:"provider_fixture_id"`
	ProviderEventID   *string   `parquet:"provider_event_id,optional"`
	FetchedAt         time.Time `parquet:"fetched_at,timestamp(millisecond)"`
	State             []byte    `parquet:"state"`
}
