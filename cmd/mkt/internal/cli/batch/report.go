package batch

import (
	"time"

	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/layout"
)

// Report is the result of one step, for a person and for a script.
type Report struct {
	Tenant  string         `json:"tenant"`
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

// NewReport begins the report of a step that took so long.
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
		plain.Fprintf(g.Out, "%s %s %-9s %s (%.1f s)\n", r.Tenant, r.Cycle, r.Step, r.text, r.Seconds)
	}
}

func (g *Group) printPassed(p passed) {
	if g.JSON() {
		g.Encode(p)
		return
	}
	plain.Fprintf(g.Out, "%s skipped: %s\n", p.Tenant, p.Reason)
}
