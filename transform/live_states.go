package transform

import (
	"errors"
	"fmt"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/live"
)

// statesTable is the canonical table that the next cycle begins from, in headers.
const statesTable = "live_states"

// readStates reads what the previous cycle left. A state that this version does
// not read is left out: its fixture begins anew.
func (r *run) readStates() ([]*follow, error) {
	id := r.result.previousCycle
	if id == "" {
		return nil, nil
	}
	var followed []*follow
	err := eachState(r.Root, id, func(row *table.LiveStateRow) error {
		state, err := live.Decode(row.State)
		if errors.Is(err, live.ErrVersion) {
			r.summary.Live.Refused++
			return nil
		}
		if err != nil {
			return fmt.Errorf("fixture %s: %w: %w", row.FixtureID, snapshot.ErrDamaged, err)
		}
		followed = append(followed, &follow{state: &state, known: true, fetchedAt: row.FetchedAt.UTC()})
		return nil
	})
	return followed, err
}

// eachState reads the states that a canonical cycle left, the file only after its
// hash. A row is only valid until the next.
func eachState(root durable.ReadFS, id layout.CycleID, do func(*table.LiveStateRow) error) error {
	m, _, err := snapshot.OpenCanonical(root, id)
	if err != nil {
		return err
	}
	dir := layout.Cycle(layout.CanonicalDir, id)
	only := snapshot.Manifest{}
	for _, file := range m.Files {
		if file.Name == layout.LiveStatesFile {
			only.Files = append(only.Files, file)
		}
	}
	if err := snapshot.Verify(root, dir, only); err != nil {
		return err
	}
	for row, err := range snapshot.Rows[table.LiveStateRow](root, dir+"/"+layout.LiveStatesFile) {
		if err != nil {
			return err
		}
		if err := do(row); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}
