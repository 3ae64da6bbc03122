package livebudget

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mkt/scripts/internal/cost"
)

// Report contains the results.
type Report struct {
	options       Options
	took          time.Duration
	before, after map[string]cost.Cost
	seen          sightings
	skipped       int
	failed        int
	load          [2]string
}

// tick is the interval of the schedule.
const tick = 8 * time.Second

func (r Report) ticks() float64 { return r.took.Seconds() / tick.Seconds() }

// InPlay returns how many matches in play an account had at the end.
func (r Report) InPlay() int { return r.seen.listed }

// Tick returns the processor time of a process in a tick, in seconds: "schedule", "serve"
// or "simulate".
func (r Report) Tick(process string) float64 {
	return (r.after[process].Seconds - r.before[process].Seconds) / r.ticks()
}

// Resident returns the resident memory of a process at the end, in MiB.
func (r Report) Resident(process string) int { return r.after[process].Megabytes }

// Publications returns how many publications were seen, and how many were due.
func (r Report) Publications() (seen, due int) {
	return len(r.seen.delays), int(r.ticks() * float64(r.options.Accounts))
}

// Delay returns the quantile of the time from a publication to the first answer that
// contains it.
func (r Report) Delay(quantile float64) time.Duration { return at(r.seen.delays, quantile) }

// Problems returns how many ticks were skipped, runs failed and requests refused.
func (r Report) Problems() (skipped, failed, refused int) {
	for _, n := range r.seen.errors {
		refused += n
	}
	return r.skipped, r.failed, refused
}

// String formats the report as a table for docs/benchmarks.md.
func (r Report) String() string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("%d accounts with %d fixtures in play each, %v, load %s before and %s after\n", r.options.Accounts, r.InPlay(), r.took.Round(time.Second), r.load[0], r.load[1])
	line("| what | measured |\n|---|---|")
	for _, name := range []string{"schedule", "serve", "simulate"} {
		line("| `%s`, a tick | %.2f s of processor time, %d MB resident |", name, r.Tick(name), r.Resident(name))
	}
	line("| of the 16 s of two cores a tick | %.0f %% |", 100*(r.Tick("schedule")+r.Tick("serve"))/16)
	seen, due := r.Publications()
	line("| publications, of %d due | %d |", due, seen)
	line("| between two publications of an account | %s |", spread(r.seen.steps))
	line("| from publication to the first answer that contains it, polling every %v | %s |", r.options.Poll, spread(r.seen.delays))
	line("| an answer of 200 fixtures that is new | %s |", spread(r.seen.answers))
	skipped, failed, refused := r.Problems()
	line("| ticks skipped, runs failed, requests refused | %d, %d, %d |", skipped, failed, refused)
	for err, n := range r.seen.errors {
		line("%d times: %s", n, err)
	}
	return out.String()
}

// spread formats the median, the 95th percentile and the maximum.
func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "none"
	}
	return fmt.Sprintf("half below %v, 95 %% below %v, at most %v", at(all, 0.5), at(all, 0.95), at(all, 1))
}

// at returns a quantile, and 0 if there is nothing.
func at(all []time.Duration, quantile float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[int(quantile*float64(len(all)-1))].Round(100 * time.Microsecond)
}
