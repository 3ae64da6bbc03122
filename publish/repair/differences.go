package repair

import (
	"context"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Differences rebuilds a publication from the one before it and from its canonical cycle, and
// compares it with the published one. It writes below staging: if Root must not change, use a
// [durable.Over]. If an input of the publication is missing or damaged, the error is damage, see
// [snapshot.IsDamage], or [publish.ErrNoCycle].
func Differences(ctx context.Context, o publish.Options, c snapshot.Commit) (all []snapshot.Difference, err error) {
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
	all = snapshot.Differences(sealed, made.Manifest, layout.ManifestFile)
	for _, s := range sealed.Segments() {
		if cycle, _ := layout.CycleOfSegment(s.File); cycle != c.CycleID || s.Cycles > 0 {
			continue
		}
		if _, sum, err := durable.HashFile(r.Root, made.Segments[s.File]); err != nil || sum != s.SHA256 {
			all = append(all, snapshot.Difference{File: s.File, What: "it is different"})
		}
	}
	return all, nil
}
