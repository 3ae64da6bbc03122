// Package explain traces any id or live value that was served to the archived payload:
// the answer it came in, the path inside it, and the rule that read it.
//
// It knows no mapping of its own. It takes the row from the published snapshot, finds
// the cycle that refreshed it, and reads the archived answer with the reader and engine
// that made the row, and with a trace (provider.Trace). It reports where the result
// differs from the row.
//
// It needs only the data root, no key and no provider, and writes nothing.
package explain
