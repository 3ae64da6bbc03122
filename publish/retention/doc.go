// Package retention decides how much of what was published is kept, and deletes the rest:
// old snapshots, cycles, change segments and commit records, and what interrupted runs
// left behind. What will be missing is recorded in COLLECTED before anything is deleted.
// It also limits and compacts the change log that a manifest lists.
//
// It deletes nothing that a reader may still hold, and nothing after the clock may have
// jumped.
//
// Source: RELIABILITY, section 2.
package retention
