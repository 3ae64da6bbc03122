// Package verify holds one account's product on a data root against itself:
// every byte against the hash that vouches for it, every hash against the chain
// of commit records, and what can be told twice against its other telling. It
// needs no key, changes nothing and takes no lock; --deep makes canonical cycles
// and snapshots again, elsewhere, and needs the id key.
//
// Order: the chain of commits, whole; then, of the publications asked for, the
// snapshots with their tables and events, the canonical cycles, the raw ones; then
// names that nothing accounts for. What retention let go of, by its own record
// (retention.Watermarks), is not missing.
//
// What is found is a Finding, never an error: errors are of reading itself.
package verify
