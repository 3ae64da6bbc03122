// Package identity makes the opaque ids of fixtures, markets and selections. Only it uses
// the id key.
//
// An id is a prefix and the first 130 bits of an HMAC-SHA-256, in 26 characters of lower-case
// base32. Because the HMAC has a key, nobody can find a provider id by trying. Its message is
// unambiguous: a kind, then each part after its length. The message of a market begins with its
// fixture's digest, and that of a selection with its market's. So ids of different parents
// differ.
//
// An id never depends on the order or number of things, or on the clock. The messages below are
// frozen with version 1 of the interface: changing one gives every fixture another id.
//
// Source: interface specification, section 2.1; DESIGN, section 4.
package identity
