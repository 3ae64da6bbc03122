package cyclestate

import (
	"time"

	"mkt/publish/health"
)

// Steps are the steps of a cycle, in their order.
var Steps = []string{health.StepFetch, "transform", "publish"}

// Last is the newest cycle of a product of an account, as its steps recorded it.
type Last struct {
	Cycle string        // "" if the first step failed before it had a name
	Steps []*health.Run // of this cycle, in their order, as far as they ran
	// Published is the newest good publication, of this cycle or an earlier one; zero if there
	// was none.
	Published time.Time
}

// LastOf returns the newest cycle from the newest runs of the steps, nil for a step without a run.
// It returns nil if no step ran.
func LastOf(newest ...*health.Run) *Last {
	var last Last
	var began time.Time
	found := false
	for _, run := range newest {
		if run == nil {
			continue
		}
		if run.Step == "publish" && run.LastOKAt != nil {
			last.Published = *run.LastOKAt
		}
		if !found || run.StartedAt.After(began) {
			found, began, last.Cycle = true, run.StartedAt, run.Cycle
		}
	}
	for _, run := range newest {
		if run != nil && run.Cycle == last.Cycle {
			last.Steps = append(last.Steps, run)
		}
	}
	if !found {
		return nil
	}
	return &last
}

// Began is when the first of the steps began.
func (l *Last) Began() time.Time { return l.Steps[0].StartedAt }

// Ended is when the last of the steps ended.
func (l *Last) Ended() time.Time { return l.Steps[len(l.Steps)-1].FinishedAt }

// Took is how long the steps took, without the time between them.
func (l *Last) Took() (d time.Duration) {
	for _, s := range l.Steps {
		d += max(0, s.FinishedAt.Sub(s.StartedAt))
	}
	return d
}

// Failed returns the failed step; nil if there is none.
func (l *Last) Failed() *health.Run {
	if last := l.Steps[len(l.Steps)-1]; !last.OK {
		return last
	}
	return nil
}

// Waiting returns the step under way, or the one left out because the cycle was
// interrupted; "" if all steps ran or one failed.
func (l *Last) Waiting() string {
	last := l.Steps[len(l.Steps)-1]
	for i, step := range Steps[:len(Steps)-1] {
		if last.OK && last.Step == step {
			return Steps[i+1]
		}
	}
	return ""
}
