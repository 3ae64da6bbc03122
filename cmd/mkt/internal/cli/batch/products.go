package batch

import (
	"fmt"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/publish"
	"mkt/publish/football"
	"mkt/transform"
)

type reporter struct {
	transform func(transform.Summary, time.Duration) Report
	publish   func(publish.Summary, time.Duration) Report
}

var reporters = map[football.Product]reporter{
	football.MarketEngine:     {transformReport, PublishReport},
	football.LiveIntelligence: {liveTransformReport, livePublishReport},
}

func liveTransformReport(s transform.Summary, took time.Duration) Report {
	r, l := NewReport("transform", s.Cycle, took), s.Live
	r.Counts = map[string]any{"already": s.Already, "fixtures": s.Fixtures, "in_play": l.InPlay, "momentum_available": l.Momentum, "sampled": l.Sampled,
		"baselines": l.Baselines, "details_read": l.Details, "left": l.Left, "held": l.Held, "gone": l.Gone, "states_refused": l.Refused,
		"broken": s.Broken, "damaged": s.Damaged, "failed": s.Failed, "bytes": s.Bytes}
	r.text = fmt.Sprintf("%s, %d in play, %d with momentum; %d new, %d left play", cli.Plural(s.Fixtures, "fixture"), l.InPlay, l.Momentum, l.Baselines, l.Left)
	if s.Already {
		r.text = "was already transformed"
	}
	if s.Broken > 0 {
		r.text += "; " + cli.Plural(s.Broken, "fixture") + " unreadable"
	}
	if s.Damaged > 0 {
		r.text += "; " + cli.Plural(s.Damaged, "damaged part")
	}
	if l.Held > 0 {
		r.text += fmt.Sprintf("; HELD: the list lacks %d fixtures at once, they are kept", l.Held)
	}
	return r
}

func livePublishReport(s publish.Summary, took time.Duration) Report {
	r := NewReport("publish", s.Cycle, took)
	r.Counts = map[string]any{"already": s.Already, "version": s.Version, "fixtures": s.Fixtures, "in_play": s.InPlay}
	r.text = fmt.Sprintf("version %d: %s, %d in play", s.Version, cli.Plural(int(s.Fixtures), "fixture"), s.InPlay)
	if s.Already {
		r.text = fmt.Sprintf("was already published, as version %d", s.Version)
	}
	return r
}
