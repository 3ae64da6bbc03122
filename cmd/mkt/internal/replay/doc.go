// Package replay transforms and publishes a range of cycles again from their archived
// payloads, into another data root, and compares the result with what was published: for
// debugging, and after a mapping was repaired.
//
// It only reads the source. The other root begins as the source was before the first
// cycle (base.go), so that it has what is carried over, and it gets the payloads, so that
// every tool works on it.
//
// Times are those of the first run, so that the same rules give the same bytes.
package replay
