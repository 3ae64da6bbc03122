package main

import (
	"fmt"
	"slices"
	"time"

	"mkt/scripts/internal/cost"
)

// report contains the results.
type report struct {
	o             options
	took          time.Duration
	before, after map[string]cost.Cost
	seen          sightings
	skipped       int
	failed        int
	load          [2]string
}

// tick is the interval of the schedule.
const tick = 8 * time.Second

func (r report) print() {
	ticks := r.took.Seconds() / tick.Seconds()
	fmt.Printf("%d accounts with %d fixtures in play each, %v, load %s before and %s after\n\n", r.o.accounts, r.seen.listed, r.took.Round(time.Second), r.load[0], r.load[1])
	fmt.Println("| what | measured |\n|---|---|")
	whole := 0.0
	for _, name := range []string{"schedule", "serve", "simulate"} {
		spent := r.after[name].Seconds - r.before[name].Seconds
		if name != "simulate" {
			whole += spent
		}
		fmt.Printf("| `%s`, a tick | %.2f s of processor time, %d MB resident |\n", name, spent/ticks, r.after[name].Megabytes)
	}
	fmt.Printf("| of the 16 s of two cores a tick | %.0f %% |\n", 100*whole/ticks/16)
	fmt.Printf("| publications, of %.0f due | %d |\n", ticks*float64(r.o.accounts), len(r.seen.delays))
	fmt.Printf("| between two publications of an account | %s |\n", spread(r.seen.steps))
	fmt.Printf("| from publication to the first answer that contains it, polling every %v | %s |\n", r.o.poll, spread(r.seen.delays))
	fmt.Printf("| an answer of 200 fixtures that is new | %s |\n", spread(r.seen.answers))
	refused := 0
	for _, n := range r.seen.errors {
		refused += n
	}
	fmt.Printf("| ticks skipped, runs failed, requests refused | %d, %d, %d |\n", r.skipped, r.failed, refused)
	for err, n := range r.seen.errors {
		fmt.Printf("%d times: %s\n", n, err)
	}
}

// spread formats the median, the 95th percentile and the maximum.
func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "none"
	}
	slices.Sort(all)
	at := func(share float64) time.Duration {
		return all[int(share*float64(len(all)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("half below %v, 95 %% below %v, at most %v", at(0.5), at(0.95), at(1))
}
