package replay

import (
	"cmp"
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
	case then.manifest == nil && then.published:
		return r.compareRecord(c, then)
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

// compareRecord compares a cycle with the commit record, if nothing else is left of its publication. The record has
// the hash of the canonical header, which has those of its files, and the root over the rows.
func (r *run) compareRecord(c *Cycle, then *original) error {
	id := layout.CycleID(c.Cycle)
	now, _, err := snapshot.ReadManifest(r.Target, layout.Cycle(layout.SnapshotsDir, id)+"/"+layout.ManifestFile)
	if err != nil {
		return err
	}
	c.Why = []string{cmp.Or(then.fault, "retention has deleted its publication") + ": its commit record is compared"}
	switch record := then.commit; {
	case now.CanonicalSHA256 == record.CanonicalSHA256:
		c.Outcome = SameBytes
	case record.FixturesRoot == "":
		c.Outcome, c.Why = Unknown, append(c.Why, "it has another hash, which the version of mkt can cause, and no hash of the rows")
	case now.FixturesRoot == record.FixturesRoot:
		c.Outcome, c.Why = SameRows, append(c.Why, "its canonical cycle has another hash: the version of mkt can be the cause")
	default:
		c.Outcome, c.Why = Differs, append(c.Why, "the rules or the version of mkt can be the cause: the record has neither")
		r.whyBefore(c)
	}
	return nil
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
	r.whyBefore(c)
	if len(c.Why) == 0 {
		c.Why = append(c.Why, "the rules and the binary are the same: a file was changed (run mkt verify), or this is an error in mkt")
	}
}

// whyBefore adds the possible causes that lie before a cycle.
func (r *run) whyBefore(c *Cycle) {
	if r.report.Base == "" && len(r.report.Notes) > 0 {
		c.Why = append(c.Why, r.report.Notes...)
	}
	if n := len(r.report.Cycles); n > 0 && r.report.Cycles[n-1].Outcome == Differs {
		c.Why = append(c.Why, "the rows carried over from the previous cycle differ")
	}
}
