package health

import (
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
//	1: first; members were added since (refusals_in_a_row, quota, plan, costs, hours), which older
//	   readers ignore and newer ones do not require
const Format = 1

const maxState = 1 << 20

// costsKept is the number of cycles over which the cost of one is measured. Only a few cycles of
// live intelligence contain the fetches made once a minute.
const costsKept = 20

func file(step string) string { return layout.StateDir + "/" + step + ".json" }

// ReadState reads a state file into v. ok reports whether it exists and is JSON of a known
// format. No data depends on a state file, and the next run replaces it. An error comes from the
// disk.
func ReadState(f durable.ReadFS, name string, known int, v any) (ok bool, err error) {
	data, err := durable.ReadFile(f, name, maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, durable.ErrTooLarge), errors.Is(err, durable.ErrNotRegular):
		return false, nil
	case err != nil:
		return false, err
	}
	return layout.DecodeHeader(name, data, known, v) == nil, nil
}

func writeState(f durable.FS, name string, v any) error {
	data, err := layout.EncodeHeader(v)
	if err != nil {
		return err
	}
	return OverwriteState(f, name, data)
}

// OverwriteState replaces a state file. It makes the folder if it is missing.
func OverwriteState(f durable.FS, name string, data []byte) error {
	err := durable.Overwrite(f, name, data)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := durable.MkdirAllSync(f, layout.StateDir); err != nil {
		return err
	}
	return durable.Overwrite(f, name, data)
}

// Read returns the result of the newest run of a step; nil if there is none or the file is
// invalid. An error comes from the disk.
func Read(f durable.ReadFS, step string) (*Run, error) {
	var run Run
	ok, err := ReadState(f, file(step), Format, &run)
	if !ok || run.Format != Format || run.Step != step {
		return nil, err
	}
	return &run, nil
}

// ReadIn is [Read] in a folder below a data root; nil if the folder is missing.
func ReadIn(data, dir, step string) (*Run, error) {
	root, err := durable.OpenWithin(data, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return Read(root, step)
}

// Record writes the result of a run, with the history of the runs before it. A run with
// another credential begins a new history.
func Record(f durable.FS, run Run) error {
	before, err := Read(f, run.Step)
	if !durable.IsExhausted(err) {
		err = writeState(f, file(run.Step), run.after(before))
	}
	if err != nil {
		return fmt.Errorf("state of %s: %w", run.Step, err)
	}
	return nil
}

// after adds the history of a step to its newest run.
func (r Run) after(before *Run) Run {
	r.Format, r.Hours = Format, r.hoursAfter(before)
	r.LastOKAt, r.FailuresInARow, r.FailedAt, r.CredentialAcceptedAt, r.CredentialRefusedAt, r.RefusalsInARow = nil, 0, nil, nil, nil, 0
	at := r.FinishedAt
	if before != nil && before.CredentialFingerprint == r.CredentialFingerprint {
		r.LastOKAt, r.FailuresInARow, r.FailedAt = before.LastOKAt, before.FailuresInARow, before.FailedAt
		r.CredentialAcceptedAt, r.CredentialRefusedAt = before.CredentialAcceptedAt, before.CredentialRefusedAt
		r.RefusalsInARow = before.RefusalsInARow
		if r.Quota == nil {
			r.Quota = before.Quota
		}
		r.Plan = r.Plan.over(before.Plan)
		r.Costs = append(slices.Clone(before.Costs), r.Costs...)
		r.Costs = r.Costs[max(0, len(r.Costs)-costsKept):]
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

// next is at, or a time just after everything recorded by the run. The clock may have been set
// back, and later findings must not look earlier.
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
