package reader

import (
	"fmt"
	"log/slog"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// State is the result of the newest run of each step, nil if there was none, and the
// number of provider calls by UTC day and endpoint.
type State struct {
	Fetch, Transform, Publish *health.Run
	// FetchLost reports that the state file of fetch exists but cannot be read. Fetch
	// then has the file's last readable content, if there was any.
	FetchLost bool
	// Pace is how often a schedule runs the cycles for the sake of the provider's quota;
	// nil if it never did.
	Pace  *health.Pace
	Calls map[string]map[string]int64
}

// readState reads the state files, and reports whether all of them could be read. It keeps what is known from
// those that could not.
func readState(root durable.ReadFS, known State, faults *faults, asOf func(*health.Run) *health.Run) (s State, complete bool) {
	complete = true
	run := func(step string, before *health.Run) *health.Run {
		r, err := health.Read(root, step)
		if err == nil && r == nil {
			err = checkStateFile(root, step)
		}
		faults.note(slog.LevelWarn, "cannot read the state of "+step, err)
		if err != nil {
			complete = false
			s.FetchLost = s.FetchLost || step == health.StepFetch
			return before
		}
		return asOf(r)
	}
	s.Fetch, s.Transform, s.Publish = run(health.StepFetch, known.Fetch), run("transform", known.Transform), run("publish", known.Publish)
	calls, err := health.ReadCalls(root)
	faults.note(slog.LevelWarn, "cannot read the counts of provider calls", err)
	s.Calls = calls.Days
	complete = complete && err == nil
	pace, err := health.ReadPace(root)
	faults.note(slog.LevelWarn, "cannot read the pace", err)
	s.Pace = pace
	if err != nil {
		s.Pace = known.Pace
	}
	return s, complete && err == nil
}

// checkStateFile returns an error if a step's state file exists but cannot be parsed. The
// next run of the step rewrites it.
func checkStateFile(root durable.ReadFS, step string) error {
	name := layout.StateDir + "/" + step + ".json"
	there, err := durable.Exists(root, name)
	if err == nil && there {
		err = fmt.Errorf("%s is not a state file; the last known state is kept until the next run rewrites it", name)
	}
	return err
}
