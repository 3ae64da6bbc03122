// Package columnar takes the rows of a table apart into columns and puts them together again. It knows
// the rows by their Go type alone, of which a [Layout] says where each column is in memory.
//
// [Columns] hold rows as columns, in the form that package parquetfile encodes. A [Reader] fills rows from
// the columns of a file, or copies them into [Columns]. A [Cursor] goes over the rows of one fixture after
// the other without reading the rows that are not wanted.
package columnar
