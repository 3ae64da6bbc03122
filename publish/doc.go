// Package publish is the third stage: it makes the next dataset from the previous one and
// from what a cycle refreshed, and publishes it in one step, so that readers see all of
// it or nothing.
//
// Run completes what an interrupted run left, chooses the cycle, opens it, decides for
// every fixture whether it is replaced, kept or removed, writes the tables and the change
// segment into staging, commits, and applies the retention. Nothing is visible before the
// commit record, and nothing is needed after it: whatever kills a run, the next one
// reaches the same result as an uninterrupted one. A damaged publication stops it:
// package repair rebuilds damaged files, and package retention deletes what is no longer
// kept.
//
// The caller holds the lock of the root. Publishers that run concurrently in spite of
// that do not harm each other: one of them gets the number of the commit, the others
// ErrConflict.
//
// Sources: RELIABILITY, section 2; DESIGN, section 4.
package publish
