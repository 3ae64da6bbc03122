// Package history reads the path of a fixture's prices over the published snapshots that are
// kept.
//
// It does not read all of them. The change log says in which publications the content of the
// fixture changed; of those at most Options.Steps are read, evenly chosen, and always the first,
// the last, and the last before kick-off. Of each, only the pages with the fixture's rows are
// read, and checked against the fixture's content digest.
package history
