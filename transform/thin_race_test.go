//go:build race

package transform_test

// thin is of how many operations one is killed at. The race detector, under which
// each takes a second, looks for what goroutines do, not for the operation.
const thin = 11
