package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// compare compares the result of a cycle with the result of its first run.
func (r *run) compare(c *Cycle, then *original) error {
	id := layout.CycleID(c.Cycle)
	dir := layout.Cycle(layout.SnapshotsDir, id)
	switch {
	case r.isManifest(then, dir):
		c.Outcome = SameBytes
		return nil
	case then.fault != "":
		c.Outcome, c.Why = Unknown, []string{then.fault}
		return nil
	case then.manifest == nil && then.published:
		c.Outcome, c.Why = Unknown, []string{"retention has deleted its publication, and the manifest has another hash: another binary or other rules can be the cause"}
		return nil
	case then.manifest == nil || !then.published:
		c.Outcome, c.Why = New, []string{"it was not published then"}
		return nil
	case then.manifest.Kind == snapshot.KindCanonical:
		dir = layout.Cycle(layout.CanonicalDir, id)
		c.Why = append(c.Why, "the snapshot was deleted: the canonical cycle is compared")
	}
	name := dir + "/" + layout.ManifestFile
	if then.manifest.Kind == snapshot.KindCanonical {
		name = dir + "/" + layout.CanonicalFile
	}
	now, _, err := snapshot.ReadManifest(r.Target, name)
	if err != nil {
		return err
	}
	c.Tables = tables(then.manifest, &now)
	sameFiles := len(then.manifest.Files) == len(now.Files) && len(snapshot.FileDifferences(*then.manifest, now)) == 0
	switch {
	case sameFiles && sameEvents(then.manifest, &now):
		c.Outcome = SameBytes
		return nil
	case len(c.Tables) == 0:
		c.Outcome = SameRows
		c.Why = append(c.Why, "other bytes with the same rows: another version of a library wrote them, or the events have other numbers")
		return nil
	}
	c.Outcome = Differs
	r.why(c, then, &now)
	return r.compareRows(c, then.dir, dir)
}

// isManifest reports whether the publication of a cycle has the manifest that its commit record names by
// hash. The manifest has the hashes of all files: this is known even if retention deleted the first ones.
func (r *run) isManifest(then *original, dir string) bool {
	if !then.published {
		return false
	}
	_, hash, err := snapshot.ReadManifest(r.Target, dir+"/"+layout.ManifestFile)
	return err == nil && hash == then.commit.ManifestSHA256
}

// sameEvents reports whether the segments of a cycle have the same bytes. Publications of builds before
// steps have none of these to compare.
func sameEvents(then, now *snapshot.Manifest) bool {
	_, recorded := then.Counters["steps"]
	return own(then, then.Changes) == own(now, now.Changes) && (!recorded || own(then, then.Steps) == own(now, now.Steps))
}

// own returns the hash of the segment that a manifest's cycle wrote; "" if it wrote none.
func own(m *snapshot.Manifest, segments []snapshot.Segment) string {
	if n := len(segments); n > 0 && strings.HasSuffix(segments[n-1].File, string(m.CycleID)+".parquet") {
		return segments[n-1].SHA256
	}
	return ""
}

func tables(then, now *snapshot.Manifest) (list []Table) {
	names := slices.Sorted(maps.Keys(now.Tables))
	for _, name := range names {
		a, b := then.Tables[name], now.Tables[name]
		if a.Digest != b.Digest {
			list = append(list, Table{Name: name, RowsThen: a.Rows, RowsNow: b.Rows})
		}
	}
	return list
}

// why adds the possible causes of a difference.
func (r *run) why(c *Cycle, then *original, now *snapshot.Manifest) {
	m := then.manifest
	if m.DerivationVersion != now.DerivationVersion {
		c.Why = append(c.Why, fmt.Sprintf("rules %s then, %s now", m.DerivationVersion, now.DerivationVersion))
	}
	if m.BinaryVersion != now.BinaryVersion {
		c.Why = append(c.Why, fmt.Sprintf("binary %s then, %s now", m.BinaryVersion, now.BinaryVersion))
	}
	if r.report.Base == "" && len(r.report.Notes) > 0 {
		c.Why = append(c.Why, r.report.Notes...)
	}
	if n := len(r.report.Cycles); n > 0 && r.report.Cycles[n-1].Outcome == Differs {
		c.Why = append(c.Why, "the rows carried over from the previous cycle differ")
	}
	if len(c.Why) == 0 {
		c.Why = append(c.Why, "the rules and the binary are the same: a file was changed (run mkt verify), or this is an error in mkt")
	}
}
