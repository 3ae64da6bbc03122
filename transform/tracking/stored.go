package tracking

import (
	"errors"
	"fmt"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/live"
)

// readStates reads the states of the previous cycle. It leaves out a state unreadable for this
// version: its fixture begins with a baseline.
func (c *Cycle) readStates() (tracks []*track, err error) {
	if c.previous == nil {
		return nil, nil
	}
	tracks, found, err := c.States.tracks(c.Header.ClientID, c.Header.PreviousCycle, c.Header.PreviousDigest)
	if found || err != nil {
		return tracks, err
	}
	err = eachState(c.Root, *c.previous, func(row *table.LiveStateRow) error {
		state, err := live.Decode(row.State)
		shown, errShown := live.DecodeShown(row.Shown)
		if errors.Is(err, live.ErrVersion) || errors.Is(errShown, live.ErrVersion) {
			c.Counts.Refused++
			return nil
		}
		if err := errors.Join(err, errShown); err != nil {
			return fmt.Errorf("fixture %s: %w: %w", row.FixtureID, snapshot.ErrDamaged, err)
		}
		tracks = append(tracks, knownTrack(&state, shown, row.FetchedAt.UTC()))
		return nil
	})
	return tracks, c.remedy(err)
}

func knownTrack(state *live.State, shown live.Shown, fetchedAt time.Time) *track {
	return &track{state: state, known: true, before: state, shown: shown, fetchedAt: fetchedAt}
}

// State is the state of one fixture as stored by a canonical cycle.
type State struct {
	Cycle     layout.CycleID
	Fixture   string // the provider's id
	Event     string // the provider's id of the live record, or ""
	State     live.State
	fetchedAt time.Time
}

// Find returns the state of a fixture in a canonical cycle; false if there is none, or
// this version cannot read it.
func Find(root durable.ReadFS, cycle layout.CycleID, fixtureID string) (s State, found bool, err error) {
	header, _, err := snapshot.OpenCanonical(root, cycle)
	if err != nil {
		return s, false, err
	}
	err = eachState(root, header, func(row *table.LiveStateRow) error {
		if row.FixtureID != fixtureID {
			return nil
		}
		state, err := live.Decode(row.State)
		if errors.Is(err, live.ErrVersion) {
			return nil
		}
		s = State{Cycle: cycle, Fixture: row.ProviderFixtureID, State: state, fetchedAt: row.FetchedAt.UTC()}
		if row.ProviderEventID != nil {
			s.Event = *row.ProviderEventID
		}
		found = err == nil
		return err
	})
	return s, found, err
}

// eachState calls do with the states of the canonical cycle of a header, after verifying the
// file. A row is valid until the next one.
func eachState(root durable.ReadFS, m snapshot.Manifest, do func(*table.LiveStateRow) error) error {
	dir := layout.Cycle(layout.CanonicalDir, m.CycleID)
	for row, err := range snapshot.VerifiedRows[table.LiveStateRow](root, dir, m, layout.LiveStatesFile) {
		if err != nil {
			return err
		}
		if err := do(row); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}
