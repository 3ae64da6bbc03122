package health

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Format is the version of the state files.
//
//	1: first; members were added since (refusals_in_a_row, quota), which older
//	   readers ignore and newer ones do without
const Format = 1

const maxState = 1 << 20

func file(step string) string { return layout.StateDir + "/" + step + ".json" }

// Read returns what the newest run of a step found; nil when there was none or
// when the file cannot be read as one: no data depends on it, and the next run
// writes it anew. The error is one of the disk.
func Read(f durable.ReadFS, step string) (*Run, error) {
	data, err := durable.ReadFile(f, file(step), maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, durable.ErrTooLarge), errors.Is(err, durable.ErrNotRegular):
		return nil, nil
	case err != nil:
		return nil, err
	}
	var run Run
	if json.Unmarshal(data, &run) != nil || run.Format != Format || run.Step != step {
		return nil, nil
	}
	return &run, nil
}

// Record writes what a run found, and carries on what the runs before
// it found. A run with another credential starts anew.
func Record(f durable.FS, run Run) error {
	before, err := Read(f, run.Step)
	if durable.IsExhausted(err) {
		return fmt.Errorf("state of %s: %w", run.Step, err)
	}
	data, err := json.MarshalIndent(run.after(before), "", "  ")
	if err != nil {
		return fmt.Errorf("state of %s: %w", run.Step, err)
	}
	if err := durable.MkdirAllSync(f, layout.StateDir); err != nil {
		return fmt.Errorf("state of %s: %w", run.Step, err)
	}
	return durable.Overwrite(f, file(run.Step), append(data, '\n'))
}

// after continues the history of a step by one run.
func (r Run) after(before *Run) Run {
	r.Format = Format
	r.LastOKAt, r.FailuresInARow, r.FailedAt, r.CredentialAcceptedAt, r.CredentialRefusedAt, r.RefusalsInARow = nil, 0, nil, nil, nil, 0
	at := r.FinishedAt
	if before != nil && before.CredentialFingerprint == r.CredentialFingerprint {
		r.LastOKAt, r.FailuresInARow, r.FailedAt = before.LastOKAt, before.FailuresInARow, before.FailedAt
		r.CredentialAcceptedAt, r.CredentialRefusedAt = before.CredentialAcceptedAt, before.CredentialRefusedAt
		r.RefusalsInARow = before.RefusalsInARow
		if r.Quota == nil {
			r.Quota = before.Quota
		}
		at = before.next(at)
	}
	switch {
	case r.CredentialFingerprint == "":
	case r.OK || r.Code == CodeRateLimited:
		r.CredentialAcceptedAt, r.RefusalsInARow = &at, 0
	case r.Code == CodeCredential:
		r.CredentialRefusedAt = &at
		r.RefusalsInARow++
	case r.Code == CodePermission:
		r.RefusalsInARow++
	}
	if r.OK {
		r.LastOKAt, r.FailuresInARow, r.FailedAt = &at, 0, nil
		return r
	}
	r.FailuresInARow++
	r.FailedAt = append(slices.Clone(r.FailedAt), at)
	r.FailedAt = r.FailedAt[max(0, len(r.FailedAt)-DegradedAfter):]
	return r
}

// next is at, or the least time after everything the run knows of: the clock may
// have been set back, and what was found later must not look earlier.
func (r *Run) next(at time.Time) time.Time {
	known := append([]time.Time{r.FinishedAt}, r.FailedAt...)
	for _, t := range []*time.Time{r.LastOKAt, r.CredentialAcceptedAt, r.CredentialRefusedAt} {
		if t != nil {
			known = append(known, *t)
		}
	}
	for _, t := range known {
		if !at.After(t) {
			at = t.Add(time.Millisecond)
		}
	}
	return at
}
