// Package verify checks that the data of one account's product is consistent: every byte
// against its hash, every hash against the chain of commit records, and twofold facts
// against each other. It needs no key, changes nothing and takes no lock.
// With --deep it also rebuilds canonical cycles and snapshots elsewhere, and needs the id
// key.
//
// It checks the whole chain of commits; then, for the requested publications, the
// snapshots with their tables and events, the canonical cycles and the raw cycles; then
// unknown names. Data deleted by retention, according to its own record
// ([retention.Watermarks]), is not missing.
//
// A fault in the data is a [Finding], never an error. An error means that the data could not be
// read.
package verify
