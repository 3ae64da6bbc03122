// Package history reads the path of a fixture's prices from the steps of publications, and shows it.
// It needs no snapshot but the newest, for the order and the descriptions of markets.
package history
