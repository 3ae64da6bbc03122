// Package parquetfile writes and reads Parquet files column by column, with the encodings of
// parquet-go. It knows nothing of the rows: package table takes them apart into columns and puts them
// together again.
//
// A file is written by a [Writer], whose row groups consist of one [ColumnWriter] for each
// [Leaf]. It is opened by [Open] and read by one [ColumnReader] for each column. The same columns
// have the same bytes. The library's own reader trusts a page's header and allocates before it
// looks at the page; a ColumnReader first compares the header with the footer and with the page.
package parquetfile
