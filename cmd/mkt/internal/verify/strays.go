package verify

import (
	"context"
	"strings"

	"mkt/publish/layout"
)

// strays tells of names that nothing accounts for. What lies below staging and
// state is passed by: no data depends on it.
func (v *verifier) strays(context.Context) error {
	known := map[string]bool{layout.RawDir: true, layout.CanonicalDir: true, layout.SnapshotsDir: true, layout.ChangesDir: true, layout.CommitsDir: true,
		layout.StagingDir: true, layout.StateDir: true, layout.Current: true, layout.Collected: true, layout.Lock: true}
	top, err := v.names(".")
	if err != nil {
		return err
	}
	for _, e := range top {
		if !known[e.Name()] {
			v.stray(e.Name())
		}
	}
	for dir, isKnown := range map[string]func(string) bool{
		layout.CommitsDir: func(name string) bool {
			_, record := layout.ParseCommit(name)
			_, pack := layout.ParseCommitPack(name)
			return record || pack
		},
		layout.RawDir: func(name string) bool {
			_, cycle := layout.ParseCycleDir(name)
			_, pack := layout.ParseRawPack(name)
			return cycle || pack
		},
		layout.CanonicalDir: isCycle,
		layout.SnapshotsDir: isCycle,
	} {
		entries, err := v.names(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !isKnown(e.Name()) {
				v.stray(dir + "/" + e.Name())
			}
		}
	}
	return v.uncommitted()
}

func isCycle(name string) bool {
	_, ok := layout.ParseCycleDir(name)
	return ok
}

// stray is one such name. Half-written files are of a run under way or broken off.
func (v *verifier) stray(name string) {
	if at := strings.LastIndex(name, ".tmp"); at >= 0 && strings.Trim(name[at+4:], "0123456789") == "" {
		v.note("%s is of a run under way, or that was broken off", name)
		return
	}
	v.find("UNKNOWN_FILE", name, fixUnknown, "nothing of mkt has this name")
}

// uncommitted tells of snapshots that no commit record names.
func (v *verifier) uncommitted() error {
	ids, err := v.cyclesIn(layout.SnapshotsDir)
	for _, id := range ids {
		if _, ok := v.commits[id]; ok {
			continue
		}
		dir := layout.Cycle(layout.SnapshotsDir, id)
		if id > v.head.CycleID {
			v.note("%s is of a run under way, or that was broken off", dir)
			continue
		}
		v.find("UNKNOWN_FILE", dir, "nobody reads it: mkt gc deletes it when it is older than what is kept", "no commit record names it: it was never published, or it was put there")
	}
	return err
}
