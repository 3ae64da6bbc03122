// Package retention decides how much of the published data is kept, and deletes the rest: old
// snapshots, cycles, change segments and commit records, and the remains of interrupted runs.
// COLLECTED records every deletion before it is made. The package also limits and compacts the
// change log listed in a manifest.
//
// It deletes nothing that a reader may still hold, and nothing after the clock may have jumped.
//
// Source: RELIABILITY, section 2.
package retention
