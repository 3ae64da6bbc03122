//go:build race

package transform_test

// thin: a kill is tested at one in thin operations. The race detector, with which each
// takes a second, is for goroutines and not for kills.
const thin = 11
