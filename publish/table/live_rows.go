package table

import "time"

// Rows of the live product. In a snapshot, LiveRow and LiveCounterRow hold every fixture in play,
// and those that left play a while ago. The other tables hold only the fixtures of the detail
// set, those with a detail_rank.
//
// The digest codes are those of the content of a fixture, see [mkt/publish/table/content.LiveRows]. They are unique among all of these tables, so
// that the code of a row's first column tells its table. The content leaves out the fixture's id, which only the LiveRow has,
// the place among other fixtures, and the time of the retrieval, which is beside the digest.

// LiveRow is the state of one fixture at one moment. Sorted by fixture_id, unique.
type LiveRow struct {
	FixtureID string     `parquet:"fixture_id" digest:"0" means:"opaque, stable id of the fixture, the market engine's for the same fixture; rows are sorted by it, unique"`
	Home      *string    `parquet:"home,optional" digest:"1" means:"home team as the provider writes it"`
	Away      *string    `parquet:"away,optional" digest:"2" means:"away team as the provider writes it"`
	League    *string    `parquet:"league,optional,dict" digest:"3" means:"league as the provider writes it"`
	StartsAt  *time.Time `parquet:"starts_at,optional,timestamp(millisecond)" digest:"4" means:"kick-off as announced, UTC"`

	InPlay  bool       `parquet:"in_play" digest:"5" means:"false: the fixture left play and is kept for a while"`
	At      time.Time  `parquet:"at,timestamp(millisecond)" digest:"6" means:"when the row was so: the last cycle's look at the fixture, UTC"`
	FreshAt time.Time  `parquet:"fresh_at,timestamp(millisecond)" digest:"7" means:"newest retrieval that told something of the fixture, UTC"`
	StaleAt *time.Time `parquet:"stale_at,optional,timestamp(millisecond)" digest:"8" means:"from then on the row is too old to say anything of the present, unless a newer one is there, UTC; NULL out of play"`

	ClockPeriod  *string `parquet:"clock_period,optional,dict" digest:"9" means:"1H, HT, 2H, BREAK, ET_1H, ET_2H, PEN or FT; NULL when not known"`
	ClockMinute  *int32  `parquet:"clock_minute,optional" digest:"10" means:"minute on the scoreboard: 45:00 begins the second half"`
	ClockSecond  *int32  `parquet:"clock_second,optional" digest:"11" means:"second on the scoreboard"`
	ClockAdded   *int32  `parquet:"clock_added,optional" digest:"12" means:"announced minutes of stoppage time"`
	ClockRunning *bool   `parquet:"clock_running,optional" digest:"13" means:"false in breaks and while the clock is stopped"`
	ScoreHome    *int32  `parquet:"score_home,optional" digest:"14" means:"goals of the home team, without a shoot-out"`
	ScoreAway    *int32  `parquet:"score_away,optional" digest:"15" means:"goals of the away team, without a shoot-out"`

	VisualState     *string    `parquet:"visual_state,optional,dict" digest:"16" means:"state of the newest timeline entry; NULL when there is none yet"`
	VisualSide      *string    `parquet:"visual_side_proven,optional,dict" digest:"17" means:"its side: HOME, AWAY or NONE"`
	VisualCertainty *string    `parquet:"visual_certainty,optional,dict" digest:"18" means:"how it is known: EXACT, INFERRED or UNKNOWN"`
	VisualSince     *time.Time `parquet:"visual_since,optional,timestamp(millisecond)" digest:"19" means:"when it was first observed, UTC"`

	MomentumHome      *int32  `parquet:"momentum_home,optional" digest:"20" means:"rolling-window pressure of the home team, 0 to 100, with momentum_away 100 together; NULL when unavailable"`
	MomentumAway      *int32  `parquet:"momentum_away,optional" digest:"21" means:"the same of the away team"`
	MomentumLeader    *string `parquet:"momentum_leader,optional,dict" digest:"22" means:"HOME, AWAY or BALANCED"`
	MomentumStrength  *string `parquet:"momentum_strength,optional,dict" digest:"23" means:"NONE, SLIGHT, CLEAR or STRONG"`
	MomentumScope     *string `parquet:"momentum_scope,optional,dict" digest:"24" means:"within what momentum may be compared: FIXTURE"`
	UnavailableReason *string `parquet:"unavailable_reason,optional,dict" digest:"25" means:"why there is no momentum; NULL when there is"`

	DetailRank      *int32 `parquet:"detail_rank,optional" digest:"-" means:"place in the detail set, from 1: farthest from 50/50 first; NULL outside it"`
	SeriesMax       *int32 `parquet:"series_max,optional" digest:"26" means:"highest number of any minute of play; NULL outside the detail set"`
	SeriesMaxMinute *int32 `parquet:"series_max_minute,optional" digest:"27" means:"minute of the last bucket, 0 without one; NULL outside the detail set"`

	SourceProvider    string    `parquet:"source_provider,dict" digest:"28" means:"name of the provider the fixture comes from"`
	ProviderFixtureID string    `parquet:"provider_fixture_id" digest:"29" means:"the provider's own id of the fixture"`
	ProviderEventID   *string   `parquet:"provider_event_id,optional" digest:"30" means:"the provider's own id of the live record"`
	ProviderFetchedAt time.Time `parquet:"provider_fetched_at,timestamp(millisecond)" digest:"-" means:"newest retrieval from the provider that held the fixture, UTC; not before fresh_at"`
	Absent            []string  `parquet:"absent,list,dict" digest:"31" means:"columns of this row that the provider did not send at all"`

	TimelineRevision *int32         `parquet:"timeline_revision,optional" digest:"64?" later:"true" means:"rises with every change of the timeline's entries and of withdrawn, but not when the newest entry goes on; NULL in rows written before this column"`
	Withdrawn        []WithdrawnRow `parquet:"withdrawn,list"`
}

// WithdrawnRow is an entry that the timeline of a publication had and no longer has, in the order of withdrawal.
type WithdrawnRow struct {
	EntryID     string    `parquet:"entry_id" digest:"65?" later:"true" means:"id of the entry, as live_timeline had it"`
	State       string    `parquet:"state,dict" digest:"66?" later:"true" means:"its state, as last published"`
	SideProven  string    `parquet:"side_proven,dict" digest:"67?" later:"true" means:"its side, as last published"`
	Minute      *int32    `parquet:"minute,optional" digest:"68?" later:"true" means:"its minute on the scoreboard, as last published"`
	Second      *int32    `parquet:"second,optional" digest:"69?" later:"true" means:"its second on the scoreboard, as last published"`
	Added       *int32    `parquet:"added,optional" digest:"70?" later:"true" means:"its minute of stoppage time, as last published; NULL outside it"`
	At          time.Time `parquet:"at,timestamp(millisecond)" digest:"71?" later:"true" means:"when it was observed, as last published, UTC"`
	ShownFrom   time.Time `parquet:"shown_from,timestamp(millisecond)" digest:"72?" later:"true" means:"column at of the match in the first publication with the entry, UTC"`
	WithdrawnAt time.Time `parquet:"withdrawn_at,timestamp(millisecond)" digest:"73?" later:"true" means:"column at of the match in the first publication without the entry, UTC"`
	Reason      string    `parquet:"reason,dict" digest:"74?" later:"true" means:"PROVIDER_TOOK_BACK, COUNTER_FELL, REPLACED or RESTARTED"`
	ReplacedBy  *string   `parquet:"replaced_by,optional" digest:"75?" later:"true" means:"id of the entry that is in its place; NULL if there is none"`
}

// LiveCounterRow is one metric of both sides. Sorted by fixture_id, metric. A metric not sent for
// a fixture has no row.
type LiveCounterRow struct {
	FixtureID string   `parquet:"fixture_id,dict" digest:"-" means:"fixture the counter belongs to; first sort key"`
	Metric    string   `parquet:"metric,dict" digest:"32" means:"name of the metric; one outside the closed set keeps the provider's name; second sort key"`
	State     string   `parquet:"state,dict" digest:"33" means:"both sides in one word: VALUE (either is not zero), ZERO (a real zero), MISSING (not sent), NULL (sent without a value)"`
	HomeText  *string  `parquet:"home_text,optional,dict" digest:"34" means:"the home team's number exactly as the provider wrote it"`
	Home      *float64 `parquet:"home,optional" digest:"35" means:"the same as a number"`
	AwayText  *string  `parquet:"away_text,optional,dict" digest:"36" means:"the away team's number exactly as the provider wrote it"`
	Away      *float64 `parquet:"away,optional" digest:"37" means:"the same as a number"`
	Absent    []string `parquet:"absent,list,dict" digest:"38" means:"home, away: the sides that the provider did not send at all"`
}

// LiveTimelineRow is one state of play. Sorted by fixture_id, ordinal.
type LiveTimelineRow struct {
	FixtureID  string     `parquet:"fixture_id,dict" digest:"-" means:"fixture the entry belongs to; first sort key"`
	Ordinal    int32      `parquet:"ordinal" digest:"39" means:"place of the entry, from 0, oldest first; second sort key"`
	At         time.Time  `parquet:"at,timestamp(millisecond)" digest:"40" means:"when the state was observed, UTC; an event that the provider listed late begins when the entry behind it does"`
	Half       *int32     `parquet:"half,optional" digest:"41" means:"half the entry belongs to: 1 and 2, 3 and 4 of extra time; NULL before kick-off and when not known"`
	Minute     *int32     `parquet:"minute,optional" digest:"42" means:"minute on the scoreboard, never less than that of the entry before; all stoppage time of a half is 45, 90, 105 or 120; NULL when no timer was sent"`
	Second     *int32     `parquet:"second,optional" digest:"43" means:"second on the scoreboard, 0 in stoppage time; NULL when no timer was sent"`
	Added      *int32     `parquet:"added,optional" digest:"44" means:"minute of stoppage time, from 1; NULL outside it"`
	State      string     `parquet:"state,dict" digest:"45" means:"state of play; STALE: the feed was too old to say"`
	Certainty  string     `parquet:"certainty,dict" digest:"46" means:"EXACT (a provider's event that has a time), INFERRED (counters, score or clock moved) or UNKNOWN"`
	SideProven string     `parquet:"side_proven,dict" digest:"47" means:"side the state is proven for: HOME, AWAY or NONE"`
	Until      time.Time  `parquet:"until,timestamp(millisecond)" digest:"48" means:"when the next entry begins; of the newest entry its last observation, UTC"`
	ListedAt   *time.Time `parquet:"listed_at,optional,timestamp(millisecond)" digest:"49" means:"when the provider's own list first held the event, UTC; NULL unless EXACT"`
	EntryID    *string    `parquet:"entry_id,optional" digest:"63?" later:"true" means:"opaque id of the entry, the same from the first publication with it on, whatever is corrected of it; NULL in rows written before this column"`
}

// LiveBucketRow is the pressure of one minute of play. Sorted by fixture_id,
// minute, added.
type LiveBucketRow struct {
	FixtureID string `parquet:"fixture_id,dict" digest:"-" means:"fixture the minute belongs to; first sort key"`
	Minute    int32  `parquet:"minute" digest:"50" means:"minute of play under way, from 1; 45, 90, 105 or 120 in stoppage time; second sort key"`
	Added     int32  `parquet:"added" digest:"51" means:"minute of stoppage time, from 1; 0 outside it; third sort key"`
	State     string `parquet:"state,dict" digest:"52" means:"VALUE, ZERO (a real zero), MISSING (not sent, or not seen) or NULL (sent without a value), of the attacks that carry the number"`
	Home      *int32 `parquet:"home,optional" digest:"53" means:"pressure points of the home team; NULL unless state is VALUE or ZERO"`
	Away      *int32 `parquet:"away,optional" digest:"54" means:"pressure points of the away team; NULL unless state is VALUE or ZERO"`
}

// LivePeriodRow is the sum of the minutes of one half. Sorted by fixture_id, half.
type LivePeriodRow struct {
	FixtureID string `parquet:"fixture_id,dict" digest:"-" means:"fixture the half belongs to; first sort key"`
	Half      int32  `parquet:"half" digest:"55" means:"1 and 2, 3 and 4 of extra time; second sort key"`
	State     string `parquet:"state,dict" digest:"56" means:"VALUE or ZERO when every minute of the half has a number; else MISSING, or NULL when all that lacks was sent without a value"`
	Home      *int32 `parquet:"home,optional" digest:"57" means:"sum of the home team's minutes; NULL unless state is VALUE or ZERO"`
	Away      *int32 `parquet:"away,optional" digest:"58" means:"sum of the away team's minutes; NULL unless state is VALUE or ZERO"`
	Minutes   *int32 `parquet:"minutes,optional" digest:"59" means:"how many minutes the half has so far, stoppage time included"`
	Known     *int32 `parquet:"minutes_known,optional" digest:"60" means:"how many of them have a number"`
	KnownHome *int32 `parquet:"home_known,optional" digest:"61" means:"sum of the home team's minutes that have a number; NULL when none has"`
	KnownAway *int32 `parquet:"away_known,optional" digest:"62" means:"sum of the away team's minutes that have a number; NULL when none has"`
}

// LiveStateRow is the state of one fixture from which the next cycle begins (canonical only).
// Sorted by fixture_id, unique.
type LiveStateRow struct {
	FixtureID         string    `parquet:"fixture_id" means:"opaque, stable id of the fixture; rows are sorted by it, unique"`
	ProviderFixtureID string    `parquet:"provider_fixture_id" means:"the provider's own id of the fixture"`
	ProviderEventID   *string   `parquet:"provider_event_id,optional" means:"the provider's own id of the live record"`
	FetchedAt         time.Time `parquet:"fetched_at,timestamp(millisecond)" means:"newest retrieval from the provider that held the fixture, UTC"`
	State             []byte    `parquet:"state" means:"all that the next cycle begins from, in a versioned encoding"`
	Shown             []byte    `parquet:"shown" later:"true" means:"what publications have shown of the timeline, in a versioned encoding"`
}
