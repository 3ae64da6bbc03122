// Package snapshot seals and opens the parts of a publication: the manifest, the change-log
// segment, the commit record and CURRENT. A snapshot exists if its commit record does; before
// that a crash costs a re-run and nothing else.
//
// Order of sealing: data files, folder, manifest, commit record, CURRENT. Readers start at
// CURRENT, then try the next commit number; they never list folders and never repair. Commit
// numbers have no gaps: without CURRENT the newest one is found by trying names. People name a
// publication by a [Moment], which [Find] looks up.
//
// Source: RELIABILITY, section 2.
package snapshot
