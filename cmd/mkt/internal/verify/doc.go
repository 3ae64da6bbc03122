// Package verify checks that the data of one account's product is consistent: every byte
// against its hash, every hash against the chain of commit records, and facts that are
// stored twice against each other. It needs no key, changes nothing and takes no lock.
// With --deep it also rebuilds canonical cycles and snapshots elsewhere, and needs the id
// key.
//
// It checks the whole chain of commits; then, for the requested publications, the
// snapshots with their tables and events, the canonical cycles and the raw cycles; then
// names that do not belong to the data. What retention has deleted according to its own
// record (retention.Watermarks) is not missing.
//
// What it finds is a Finding, never an error. Errors mean that it could not read.
package verify
