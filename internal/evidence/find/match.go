package find

import (
	"mkt/internal/dataset"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// HasMatch reports whether the newest publication of a dataset of matches in play has a match. One that
// cannot be read has none.
func HasMatch(d dataset.Dataset, fixture string) bool {
	root, err := d.Open()
	if err != nil {
		return false
	}
	defer root.Close()
	head, found, err := snapshot.Head(root)
	return err == nil && found && hasMatch(root, head, fixture)
}

// LastWithMatch returns the last publication with a match that is over, among those from version first to
// head. If there is none, the Version that it returns is below first.
func LastWithMatch(root durable.ReadFS, first uint64, head snapshot.Commit, fixture string) snapshot.Commit {
	last, _, _ := snapshot.Search(root, head, func(c snapshot.Commit) bool { return c.Version >= first && !hasMatch(root, c, fixture) })
	return last
}

func hasMatch(root durable.ReadFS, c snapshot.Commit, fixture string) bool {
	for _, err := range snapshot.FixtureRows[table.LiveRow](root, c.Dir()+"/"+layout.LiveFile, fixture) {
		return err == nil
	}
	return false
}
