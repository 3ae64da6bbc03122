// Package identity mints the opaque ids of fixtures, markets and selections. It
// is the only room with the id key.
//
// An id is a prefix and the first 130 bits of an HMAC-SHA-256, in 26 characters
// of lower-case base32. The HMAC is keyed, so that a provider id cannot be found
// by trying, and it is taken over exact bytes: a kind, then each part behind its
// length, so that no two lists of parts give the same message. A market is
// hashed over its fixture's digest and a selection over its market's, so an id
// says all that is above it.
//
// What is hashed never depends on the order in which things arrive, on their
// number, or on the clock. The forms below are frozen with version 1 of the
// interface: changing one gives every fixture another id.
//
// Source: interface specification, section 2.1; DESIGN, section 4.
package identity
