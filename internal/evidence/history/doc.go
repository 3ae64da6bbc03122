// Package history shows the path of a fixture's prices, read from [mkt/publish/steps]. It needs
// no snapshot but the newest, for the order and the descriptions of markets.
package history
