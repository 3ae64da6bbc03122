package verify

import (
	"context"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

func (v *verifier) canonical(ctx context.Context) error {
	there, err := v.cyclesIn(layout.CanonicalDir)
	if err != nil {
		return err
	}
	have, ofHour := map[layout.CycleID]bool{}, map[string]bool{}
	for _, id := range there {
		have[id], ofHour[layout.HourOf(id)] = true, true
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !v.wanted(id) {
			continue
		}
		dir := layout.Cycle(layout.CanonicalDir, id)
		if err := v.folderOf(canonicalKind, dir, id, func() error { return v.canonicalCycle(id) }); err != nil {
			return err
		}
	}
	gone := missing{v: v, code: "CANONICAL_MISSING", dir: layout.CanonicalDir, fix: v.fixRepair()}
	defer gone.report()
	for _, c := range v.order {
		hour := layout.HourOf(c.CycleID)
		if !have[c.CycleID] && v.wanted(c.CycleID) && c.Republishes == 0 {
			var err error
			if have[c.CycleID], err = durable.Exists(v.Root, layout.Cycle(layout.CanonicalDir, c.CycleID)); err != nil {
				return err
			}
		}
		missing := !have[c.CycleID] && v.wanted(c.CycleID) && c.Republishes == 0 && !v.covers(canonicalKind, c.CycleID)
		thinned := missing && v.covers(thinnedKind, c.CycleID)
		if f := v.watermarks.Canonical; f != nil && layout.HourOf(f.Before) == hour {
			ofHour[hour] = true // retention deleted the first one of this hour after it had thinned out the others
		}
		gone.add(c, missing && !(thinned && ofHour[hour]))
		ofHour[hour] = ofHour[hour] || thinned // reported once
	}
	return nil
}

func (v *verifier) canonicalCycle(id layout.CycleID) error {
	defer v.step()
	v.report.Checked.Canonical++
	dir := layout.Cycle(layout.CanonicalDir, id)
	name := dir + "/" + layout.CanonicalFile
	m, sum, err := snapshot.OpenCanonical(v.Root, id)
	if isFileFault(err) {
		if _, published := v.commits[id]; !published && id > v.head.CycleID {
			v.note("%s belongs to a run that is under way or was interrupted", dir)
			return nil
		}
		v.addFault("CANONICAL_DAMAGED", name, v.fixRepair(), err)
		return nil
	}
	if err != nil {
		return err
	}
	switch want := v.canonicalSum(id); {
	case want == "" && id <= v.head.CycleID:
		v.note("some canonical cycles were not published, or by a version that did not record their hash: they were checked only against themselves")
	case want != "" && want != sum:
		v.addFinding("CANONICAL_DAMAGED", name, v.fixRepair(), "it is not the one that was published")
		return nil
	}
	if m.ClientID != v.ClientID || m.Product != v.Product {
		v.addFinding("CANONICAL_DAMAGED", name, "remove the folder: it was copied here", "it belongs to %s %s", m.ClientID, m.Product)
	}
	return v.folder(dir, m, layout.CanonicalFile, folderCodes{"CANONICAL_DAMAGED", "CANONICAL_DAMAGED"})
}

// canonicalSum returns the hash recorded by the publication of a cycle, "" if there is none.
func (v *verifier) canonicalSum(id layout.CycleID) string {
	c, ok := v.commits[id]
	if !ok {
		return ""
	}
	if c.CanonicalSHA256 != "" {
		return c.CanonicalSHA256
	}
	m, err := snapshot.Open(v.Root, c)
	if err != nil {
		return ""
	}
	return m.CanonicalSHA256
}
