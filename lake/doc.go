// Package lake keeps the published rows of an account in Apache Iceberg tables. Engines such as
// Spark, Trino, Snowflake and DuckDB can then read years of them.
//
// The tables are in a folder of their own, and rows are only ever appended. A publication adds
// its refreshed rows: those that differ from the publication before. The table of publications
// is appended last, and decides whether a publication is in the lake. So a sync that was stopped
// anywhere continues, and appends nothing twice.
//
// The rows are those of package table, and no value is computed here. The columns of the account
// and of the publication are added, and times are stored in microseconds, because Iceberg has no
// milliseconds.
package lake
