package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mkt/internal/cadence"
)

// byHand is how many publications of a product may have been made by hand, before somebody set up
// its schedule.
const byHand = 2

// noCycles is the cause of findings about accounts for which nothing runs cycles.
const noCycles = "no cycles"

// services reports a product, new or overdue, whose cycles nothing runs, and publications that
// nothing serves. Both are notes, because timers, cron, or another machine may do this work.
func (d *doctor) services() {
	running, known := d.Running()
	if !known {
		return
	}
	published, unscheduled := false, false
	for _, r := range d.roots {
		if !r.published || !d.isDue(r) {
			continue
		}
		published = true
		_, err := cadence.Parse(r.tenant.Expression(r.product))
		unscheduled = unscheduled || r.late || err == nil && r.head != nil && r.head.Version <= byHand
	}
	at := place{file: d.Tenants}
	switch {
	case d.workers > 0:
		d.ok("schedule", at, "workers run the cycles")
	case slices.Contains(running, "schedule") || slices.Contains(running, "demo"):
		d.ok("schedule", at, "mkt schedule runs on this machine")
	case unscheduled && !d.Keyless:
		d.bad(Note, "SCHEDULE_NOT_RUNNING", "schedule", at, d.mkt("schedule"), "nothing runs the cycles, unless a timer or cron does; with systemd, enable mkt-schedule.service").causedBy(noCycles, "")
	}
	switch {
	case slices.Contains(running, "serve") || slices.Contains(running, "demo"):
		d.ok("service", at, "mkt serve runs on this machine")
	case published:
		d.bad(Note, "SERVE_NOT_RUNNING", "service", at, d.mkt("serve"), "nothing on this machine answers the API; with systemd, enable mkt-serve.service")
	}
}

// commands returns the commands of the processes of mkt. known is false if this user may not see
// the processes of others.
func commands(proc string) (running []string, known bool) {
	if _, err := os.ReadFile(filepath.Join(proc, "1", "cmdline")); err != nil {
		return nil, false
	}
	files, _ := filepath.Glob(filepath.Join(globEscape(proc), "[0-9]*", "cmdline"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		words := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		if filepath.Base(words[0]) == "mkt" {
			running = append(running, commandOf(words[1:]))
		}
	}
	return running, true
}

// commandOf returns the command among the arguments of mkt, "tenant" of mkt tenant schedule set;
// "" if there is none.
func commandOf(arguments []string) string {
	valued := []string{"--config", "--data", "--tenants", "--output", "--log-level", "--log-format"} // a value may follow
	for i := 0; i < len(arguments); i++ {
		switch word := arguments[i]; {
		case slices.Contains(valued, word):
			i++
		case !strings.HasPrefix(word, "-"):
			return word
		}
	}
	return ""
}
