// Package table is the canonical model as typed Parquet: the rows, their order,
// the writer and the reader, and the header in each file's metadata. Same rows,
// same bytes.
package table
