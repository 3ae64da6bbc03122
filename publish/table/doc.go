// Package table stores the canonical model as typed Parquet. It defines the rows,
// their order, the writer and the reader, and the header in each file's metadata. The
// same rows have the same bytes: nothing in a file depends on the clock, the build or
// the number of processors.
//
// A [Writer] checks the order of its rows and returns a [Summary]: the number of rows, the states
// of every column, and a digest of the content, which does not depend on the Parquet library.
//
// Below it, package columnar takes rows apart into columns, and package parquetfile encodes and decodes
// the columns. Above it, package canonical makes rows out of the model, content digests the rows of a
// fixture, diff compares rows, and stepindex finds steps.
package table
