// Package replay runs a range of cycles once more, transform and publish from the
// archived payloads, into another data root, and compares what comes out with
// what was published: for debugging, and after a mapping was mended.
//
// The source is read and never written. The other root begins as the source was
// before the first cycle (base.go), so that what is carried over is there, and it
// keeps the payloads, so that every tool works on it.
//
// Times are those of the first run: by the same rules, the same bytes come out.
package replay
