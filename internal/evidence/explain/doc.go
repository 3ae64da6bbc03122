// Package explain traces any served id or live value to the archived payload: the answer it came
// in, the path inside it, and the rule that read it.
//
// It has no mapping of its own. It takes the row from the published snapshot, finds
// the cycle that refreshed it, and reads the archived answer again, with the reader and engine
// that made the row and with a [provider.Trace]. It reports where the result differs from the row.
//
// It needs only the data root, no key and no provider, and writes nothing.
package explain
