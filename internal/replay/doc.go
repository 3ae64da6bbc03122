// Package replay transforms and publishes a range of cycles again from their archived
// payloads, into another data root, and compares the result with the publications: for
// debugging, and after a mapping was repaired.
//
// It only reads the source. The other root begins in the source's state before the first
// cycle (base.go), with the data to carry over. It also gets the payloads, for the tools
// that read them.
//
// Times are those of the first run, because the same rules must give the same bytes.
package replay
