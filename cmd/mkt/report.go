package main

import (
	"encoding/json"
	"time"

	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/layout"
)

// report is what one step's run came to, for a person and for a script.
type report struct {
	Tenant  string         `json:"tenant"`
	Product string         `json:"product"`
	Step    string         `json:"step"`
	Cycle   string         `json:"cycle,omitempty"`
	OK      bool           `json:"ok"`
	Code    string         `json:"code,omitempty"` // why it failed, a word of package health
	Error   string         `json:"error,omitempty"`
	Seconds float64        `json:"seconds"`
	Counts  map[string]any `json:"counts,omitempty"`

	text string // what a person reads
}

// newReport begins the report of a step that took so long.
func newReport(step string, cycle layout.CycleID, took time.Duration) report {
	return report{Step: step, Cycle: string(cycle), Seconds: float64(took.Milliseconds()) / 1000}
}

// printReport prints a line for a script, or one for a person; a failure's text
// follows on stderr.
func (a *app) printReport(r report) {
	a.tells.Lock()
	defer a.tells.Unlock()
	r.OK = r.Error == ""
	if a.json() {
		json.NewEncoder(a.out).Encode(r)
		return
	}
	if r.OK {
		plain.Fprintf(a.out, "%s %s %-9s %s (%.1f s)\n", r.Tenant, r.Cycle, r.Step, r.text, r.Seconds)
	}
}

func (a *app) printPassed(p passed) {
	if a.json() {
		json.NewEncoder(a.out).Encode(p)
		return
	}
	plain.Fprintf(a.out, "%s passed by: %s\n", p.Tenant, p.Reason)
}
