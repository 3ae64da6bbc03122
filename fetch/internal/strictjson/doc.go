// Package strictjson reads JSON that strangers wrote: one strict pass over the
// whole text, then a walk over what it found.
//
// Parse accepts nothing doubtful: text that is not UTF-8, an unpaired surrogate,
// anything behind the value, and nesting, strings or numbers beyond the limits are
// errors. Members keep the order of the text, and numbers stay text: nothing is
// converted.
//
// A key that occurs twice in one object says two things, but the rest of the text
// is whole. So it is no error of the text: the object says so (Repeats), and who
// reads it must not take one of the two for what was meant.
//
// It builds a flat index of 16 bytes a value and copies the text once, so that
// every string it hands out is a piece of that copy. Errors name a place and a
// rule, never the text.
//
// Source: RELIABILITY, section 2 (Upstream); RFC 8259.
package strictjson
