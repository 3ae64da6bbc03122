// Package table is the canonical model as typed Parquet: the rows, their order,
// the writer and the reader, and the header in each file's metadata. Same rows,
// same bytes: neither the clock, the build nor the number of processors reaches
// a file.
//
// A Writer checks the order, and sums up what it wrote: rows, the states of
// every column, and a digest of the logical content that does not depend on
// the Parquet library. FixtureOf and MarketOf bring the model into rows; nothing
// brings rows back into the model, since readers render rows.
package table
