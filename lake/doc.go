// Package lake keeps the published rows of an account in Apache Iceberg tables, so that
// engines such as Spark, Trino, Snowflake and DuckDB can read years of them.
//
// The tables are in a folder of their own, and rows are only ever appended. A publication
// adds the rows that are not the same as in the publication before: what was refreshed. The
// table of publications is appended last, and a publication is in the lake if that table
// has it: so a sync that was stopped anywhere continues, and appends nothing twice.
//
// The rows are those of package table, and no value is computed here: the columns of the
// account and of the publication are added, and times are stored in microseconds, because
// Iceberg has no milliseconds.
package lake
