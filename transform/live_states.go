package transform

import (
	"errors"
	"fmt"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/live"
)

// statesTable is the canonical table that the next cycle begins from, in headers.
const statesTable = "live_states"

// readStates reads what the previous cycle left, the file only after its hash. A
// state that this version does not read is left out: its fixture begins anew.
func (r *run) readStates() ([]*follow, error) {
	id := r.result.previousCycle
	if id == "" {
		return nil, nil
	}
	m, _, err := snapshot.OpenCanonical(r.Root, id)
	if err != nil {
		return nil, err
	}
	dir := layout.Cycle(layout.CanonicalDir, id)
	only := snapshot.Manifest{}
	for _, file := range m.Files {
		if file.Name == layout.LiveStatesFile {
			only.Files = append(only.Files, file)
		}
	}
	if err := snapshot.Verify(r.Root, dir, only); err != nil {
		return nil, err
	}
	file, err := r.Root.Open(dir + "/" + layout.LiveStatesFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := table.NewReader[table.LiveStateRow](file, file.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	defer rows.Close()
	var followed []*follow
	for row, err := range rows.All {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		state, err := live.Decode(row.State)
		if errors.Is(err, live.ErrVersion) {
			r.summary.Live.Refused++
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: fixture %s: %w: %w", dir, row.FixtureID, snapshot.ErrDamaged, err)
		}
		followed = append(followed, &follow{state: &state, known: true, fetchedAt: row.FetchedAt.UTC()})
	}
	return followed, nil
}
