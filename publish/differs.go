package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Difference is a file of a publication that comes out otherwise when it is made
// again.
type Difference struct {
	File string // its name in the snapshot's folder, or the segment's path
	What string
	// SameRows: only the bytes differ, as of another build of the Parquet library.
	SameRows bool
}

// Differences makes a publication again out of the one before it and of its
// canonical cycle, and holds it against what is published. It writes below
// staging: lay Root over what must not change. What it is made from being gone or
// damaged is fs.ErrNotExist or snapshot.ErrDamaged.
func Differences(ctx context.Context, o Options, c snapshot.Commit) (all []Difference, err error) {
	if o, err = o.check(); err != nil {
		return nil, err
	}
	r := newRun(o, products[o.Product])
	r.asIs = true
	defer r.Root.RemoveAll(r.staging)
	sealed, err := snapshot.Open(r.Root, c)
	if err != nil {
		return nil, err
	}
	made, err := r.again(ctx, c, &sealed)
	if err != nil {
		return nil, err
	}
	for i, file := range sealed.Files {
		var got snapshot.File
		if i < len(made.manifest.Files) {
			got = made.manifest.Files[i]
		}
		if got == file {
			continue
		}
		same := sealed.Tables[tableKey(file.Name)].Digest == made.manifest.Tables[tableKey(file.Name)].Digest
		all = append(all, Difference{file.Name, "it comes out otherwise", same})
	}
	if s := c.Segment; s != nil {
		_, sum, err := durable.HashFile(r.Root, made.staged[s.File])
		if err != nil || sum != s.SHA256 {
			all = append(all, Difference{File: s.File, What: "it comes out otherwise"})
		}
	}
	if what := otherWords(sealed, made.manifest); what != "" {
		all = append(all, Difference{File: "manifest.json", What: what})
	}
	return all, nil
}

// otherWords compares manifests but for the files, and for the window of the
// change log, which the retention of that time settled.
func otherWords(sealed, made snapshot.Manifest) string {
	sealed.Files, made.Files, sealed.Changes, made.Changes = nil, nil, nil, nil
	a, errA := json.Marshal(sealed)
	b, errB := json.Marshal(made)
	if errA == nil && errB == nil && bytes.Equal(a, b) {
		return ""
	}
	for name, want := range sealed.Tables {
		if got := made.Tables[name]; got.Rows != want.Rows {
			return fmt.Sprintf("it says %d rows of %s, there are %d", want.Rows, name, got.Rows)
		}
	}
	return "it says other things of what it was made from"
}
