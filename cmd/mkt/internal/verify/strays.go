package verify

import (
	"context"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
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
		switch {
		case !known[e.Name()]:
			v.stray(e.Name())
		case !e.IsDir() && !e.Type().IsRegular():
			v.find("UNKNOWN_FILE", e.Name(), fixUnknown, "it is neither a file nor a folder: %s", e.Type())
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
			switch name := dir + "/" + e.Name(); {
			case !isKnown(e.Name()):
				v.stray(name)
			case !e.IsDir() && !e.Type().IsRegular():
				v.find("UNKNOWN_FILE", name, fixUnknown, "it is neither a file nor a folder: %s", e.Type())
			}
		}
	}
	return nil
}

func isCycle(name string) bool {
	_, ok := layout.ParseCycleDir(name)
	return ok
}

// stray is one such name.
func (v *verifier) stray(name string) {
	if !v.isHalf(name) {
		v.find("UNKNOWN_FILE", name, fixUnknown, "nothing of mkt has this name")
	}
}

// isHalf notes a half-written file: it is of a run under way, or broken off.
func (v *verifier) isHalf(name string) bool {
	at := strings.LastIndex(name, ".tmp")
	if at < 0 || strings.Trim(name[at+4:], "0123456789") != "" {
		return false
	}
	v.note("%s is of a run under way, or that was broken off", name)
	return true
}

// uncommitted looks at snapshots that no commit record names. One that follows a
// publication, and holds what its manifest says, is of a run that was broken off
// before its commit, as its segments are; nobody reads it.
func (v *verifier) uncommitted() error {
	ids, err := v.cyclesIn(layout.SnapshotsDir)
	if err != nil {
		return err
	}
	later, err := v.since()
	if err != nil {
		return err
	}
	follows := map[string]bool{"": true}
	for _, c := range v.order {
		follows[c.ManifestSHA256] = true
	}
	for _, c := range later {
		follows[c.ManifestSHA256] = true
	}
	for _, id := range ids {
		_, known := v.commits[id]
		if _, published := later[id]; known || published {
			continue
		}
		dir := layout.Cycle(layout.SnapshotsDir, id)
		m, _, err := snapshot.ReadManifest(v.Root, dir+"/"+layout.ManifestFile)
		if err == nil {
			err = snapshot.Verify(v.Root, dir, m)
		}
		if err != nil && !isBad(err) {
			return err
		}
		if there, e := durable.Exists(v.Root, dir); e == nil && !there {
			continue // set aside, or let go of, meanwhile
		}
		if err != nil || m.CycleID != id || m.ClientID != v.ClientID || m.Product != v.Product || !follows[m.PreviousManifestSHA256] {
			v.find("UNKNOWN_FILE", dir, fixUnknown, "no commit record names it, and it follows no publication")
			continue
		}
		v.note("%s is of a run under way, or that was broken off before its commit", dir)
		for _, s := range m.Changes {
			v.segments[s.File] = s
		}
	}
	return nil
}
