// Package explain leads any id or live value that was served back to the archived
// payload: the answer it came in, the path inside it, and the rule that read it.
//
// It knows no mapping of its own. It takes the row from the published snapshot,
// finds the cycle that refreshed it, and has the very reader and engine that made
// the row read the archived answer once more, with a trace (provider.Trace). What
// comes out is held against the row: where they differ, it says so.
//
// It needs the data root alone, no key and no provider, and writes nothing.
package explain
