//go:build !race

package transform_test

// thin is of how many operations one is killed at: every one.
const thin = 1
