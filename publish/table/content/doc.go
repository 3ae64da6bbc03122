// Package content defines the content digest of a fixture: the bytes that stand for its rows, which
// receipts carry, and their SHA-256. The bytes do not depend on Parquet. docs/receipt-format.md describes
// them. Every published digest depends on them, so they never change.
package content
