// Package diff compares the rows of two tables: which rows belong together, and in which columns they
// differ.
package diff
