package batch

import (
	"fmt"
	"time"

	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform"
)

// Report is the result of one step, for a person and for a script.
type Report struct {
	Tenant  string         `json:"client_id"`
	Product string         `json:"product"`
	Step    string         `json:"step"`
	Cycle   string         `json:"cycle,omitempty"`
	OK      bool           `json:"ok"`
	Code    string         `json:"code,omitempty"` // why it failed, a code of package health
	Error   string         `json:"error,omitempty"`
	Seconds float64        `json:"seconds"`
	Counts  map[string]any `json:"counts,omitempty"`

	text string // for a person
}

// NewReport begins the report of a step with its duration.
func NewReport(step string, cycle layout.CycleID, took time.Duration) Report {
	return Report{Step: step, Cycle: string(cycle), Seconds: float64(took.Milliseconds()) / 1000}
}

// printReport prints a line for a script or for a person. The text of a failure follows on
// stderr.
func (g *Group) printReport(r Report) {
	g.printing.Lock()
	defer g.printing.Unlock()
	r.OK = r.Error == ""
	if g.JSON() {
		g.Encode(r)
		return
	}
	if r.OK {
		printable.Fprintf(g.Out, "%s %s %-9s %s (%.1f s)\n", r.Tenant, r.Cycle, r.Step, r.text, r.Seconds)
	}
}

func (g *Group) printPassed(p passed) {
	g.AnswerLine(p, "%s skipped: %s\n", p.Tenant, p.Reason)
}

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
	r.text = fmt.Sprintf("%s, %d in play, %d with momentum; %d new, %d left play", terminal.Plural(s.Fixtures, "fixture"), l.InPlay, l.Momentum, l.Baselines, l.Left)
	if s.Already {
		r.text = "was already transformed"
	}
	if s.Broken > 0 {
		r.text += "; " + terminal.Plural(s.Broken, "fixture") + " unreadable"
	}
	if s.Damaged > 0 {
		r.text += "; " + terminal.Plural(s.Damaged, "damaged part")
	}
	if l.Held > 0 {
		r.text += fmt.Sprintf("; HELD: the list lacks %d fixtures at once, they are kept", l.Held)
	}
	return r
}

func livePublishReport(s publish.Summary, took time.Duration) Report {
	r := NewReport("publish", s.Cycle, took)
	r.Counts = map[string]any{"already": s.Already, "version": s.Version, "fixtures": s.Fixtures, "in_play": s.InPlay}
	r.text = fmt.Sprintf("version %d: %s, %d in play", s.Version, terminal.Plural(int(s.Fixtures), "fixture"), s.InPlay)
	if s.Already {
		r.text = fmt.Sprintf("was already published, as version %d", s.Version)
	}
	return r
}
