// Package strictjson reads JSON from untrusted sources: it parses the whole text
// strictly in one pass, and then gives access to its values.
//
// [Parse] accepts nothing doubtful: text other than UTF-8, an unpaired surrogate,
// anything behind the value, and nesting, strings or numbers beyond the limits are
// errors. Members keep the order of the text, and numbers stay text: nothing is
// converted.
//
// A key that occurs twice in one object is ambiguous, but the rest of the text is
// sound. So it is not an error: the object reports it ([Value.Repeats]), and a reader must
// not choose one of the two values.
//
// Parse builds a flat index of 16 bytes a value and copies the text once; every string
// it returns is a part of that copy. Errors name an offset and a rule, never the text.
//
// Source: RELIABILITY, section 2 (Upstream); RFC 8259.
package strictjson
