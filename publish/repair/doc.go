// Package repair rebuilds what was published: a publication is a function of the one
// before it and of its canonical cycle, so that a damaged file can be rebuilt byte for
// byte, and what is published can be compared with what its inputs give.
//
// Run repairs a root, Differences only compares, and NewHistory publishes the newest
// intact dataset again where what is damaged cannot be rebuilt.
//
// The caller holds the lock of the root.
package repair
