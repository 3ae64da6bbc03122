package repair

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Difference is a file of a publication that is different when it is rebuilt.
type Difference struct {
	File string // its name in the snapshot's folder, or the segment's path
	What string
	// SameRows: only the bytes differ, as if another build of the Parquet library had
	// written them.
	SameRows bool
}

// Differences rebuilds a publication from the one before it and from its canonical
// cycle, and compares it with what is published. It writes below staging: lay Root over
// what must not change. If what the publication was made from is missing or damaged, the
// error is damage (snapshot.IsDamage) or publish.ErrNoCycle.
func Differences(ctx context.Context, o publish.Options, c snapshot.Commit) (all []Difference, err error) {
	r, err := newRebuilder(o)
	if err != nil {
		return nil, err
	}
	r.readOnly = true
	defer r.Root.RemoveAll(r.Staging())
	sealed, err := snapshot.Open(r.Root, c)
	if err != nil {
		return nil, err
	}
	made, err := r.rebuild(ctx, c, &sealed)
	if err != nil {
		return nil, err
	}
	for i, file := range sealed.Files {
		var got snapshot.File
		if i < len(made.Manifest.Files) {
			got = made.Manifest.Files[i]
		}
		if got == file {
			continue
		}
		key := tableKey(file.Name)
		all = append(all, Difference{file.Name, "it is different", sealed.Tables[key].Digest == made.Manifest.Tables[key].Digest})
	}
	if s := c.Segment; s != nil {
		_, sum, err := durable.HashFile(r.Root, made.Segments[s.File])
		if err != nil || sum != s.SHA256 {
			all = append(all, Difference{File: s.File, What: "it is different"})
		}
	}
	if what := manifestDifference(sealed, made.Manifest); what != "" {
		all = append(all, Difference{File: layout.ManifestFile, What: what})
	}
	return all, nil
}

// manifestDifference compares manifests without the files, and without the window of
// the change log, which the retention of that time decided.
func manifestDifference(sealed, made snapshot.Manifest) string {
	sealed.Files, made.Files, sealed.Changes, made.Changes = nil, nil, nil, nil
	a, errA := json.Marshal(sealed)
	b, errB := json.Marshal(made)
	if errA == nil && errB == nil && bytes.Equal(a, b) {
		return ""
	}
	for name, want := range sealed.Tables {
		if got := made.Tables[name]; got.Rows != want.Rows {
			return fmt.Sprintf("it records %d rows of %s, there are %d", want.Rows, name, got.Rows)
		}
	}
	return "it records other facts about what it was made from"
}
