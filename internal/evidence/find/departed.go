// Package find finds the fixtures of an account by their id or by their teams' names, also
// fixtures no longer in the newest publication. [Search] looks in all accounts, for anything with an id.
package find

import (
	"iter"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// MaxPublications is how many kept publications [Departed] reads at most, the newest ones.
const MaxPublications = 500

// Gone is a fixture no longer in the newest publication.
type Gone struct {
	table.FixtureRow           // in the newest kept publication with it
	Version          uint64    // of this publication
	Left             time.Time // when the kept publication after it was published
}

// Departed iterates over the fixtures in kept publications and not in head, the last to leave
// first. It reads the list of fixtures of each publication, and passes over damaged publications
// before head. progress may be nil.
func Departed(root durable.ReadFS, head snapshot.Commit, progress func(done, total int)) iter.Seq2[Gone, error] {
	return func(yield func(Gone, error) bool) {
		kept, err := snapshot.CyclesIn(root, layout.SnapshotsDir)
		if err != nil {
			yield(Gone{}, err)
			return
		}
		for len(kept) > 0 && kept[len(kept)-1] > head.CycleID {
			kept = kept[:len(kept)-1] // not committed
		}
		kept = kept[max(0, len(kept)-MaxPublications):]
		seen := map[string]bool{}
		commit, file := head, ""
		var after time.Time
		for i := range kept {
			if progress != nil {
				progress(i, len(kept))
			}
			if i > 0 {
				found := false
				commit, found, err = snapshot.OfCycle(root, head, kept[len(kept)-1-i])
				if err != nil || !found { // an unfinished publication has a folder, too
					continue
				}
			}
			manifest, err := snapshot.Open(root, commit)
			if err != nil {
				if i == 0 {
					yield(Gone{}, err)
					return
				}
				continue
			}
			before := file
			if file = hashOf(manifest); file == before && file != "" {
				after = commit.PublishedAt
				continue
			}
			for row, err := range snapshot.VerifiedRows[table.FixtureRow](root, commit.Dir(), manifest, layout.FixturesFile) {
				if err != nil && i == 0 {
					yield(Gone{}, err) // otherwise all fixtures would have left it
					return
				}
				if err != nil {
					break
				}
				if seen[row.FixtureID] {
					continue
				}
				seen[row.FixtureID] = true
				if i > 0 && !yield(Gone{*row, commit.Version, after.UTC()}, nil) {
					return
				}
			}
			after = commit.PublishedAt
		}
	}
}

// hashOf returns the hash of the file of fixtures; "" if the manifest does not have it.
func hashOf(m snapshot.Manifest) string {
	for _, f := range m.Files {
		if f.Name == layout.FixturesFile {
			return f.SHA256
		}
	}
	return ""
}
