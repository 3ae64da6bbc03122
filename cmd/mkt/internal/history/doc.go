// Package history reads the path of a fixture's prices over the kept snapshots.
//
// It does not read all of them. The change log lists the publications that changed the fixture. At
// most [Options].Steps of those are read, evenly chosen, and always the first, the last, and the
// last before kick-off. Of each, only the pages with the fixture's rows are read, and checked
// against the fixture's content digest.
package history
