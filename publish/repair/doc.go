// Package repair rebuilds publications. A publication is a function of the one before it and of
// its canonical cycle. So a damaged file can be rebuilt byte for byte, and a publication can be
// compared with the result of its inputs.
//
// [Run] repairs a root, [Differences] only compares, and [NewHistory] publishes the newest intact
// dataset again if damaged files cannot be rebuilt.
//
// The caller holds the lock of the root.
package repair
