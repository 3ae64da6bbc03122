// Package publish is the third stage. It makes the next dataset from the previous one and a
// cycle's refreshed fixtures. It publishes the dataset in one step, so that readers see all of it
// or nothing.
//
// [Run] completes the work of an interrupted run, chooses the cycle, opens it, and decides for
// every fixture whether it is replaced, kept or removed. It writes the tables and the change
// segment into staging, commits, and applies the retention. Nothing is visible before the commit
// record, and nothing is needed after it: after a killed run, the next one reaches the same
// result as an uninterrupted one. A damaged publication stops it. Package repair rebuilds damaged
// files, and package retention deletes files no longer kept.
//
// The caller holds the lock of the root. If publishers run concurrently nevertheless, they do no
// harm: one of them gets the number of the commit, the others [ErrConflict].
//
// Sources: RELIABILITY, section 2; DESIGN, section 4.
package publish
