//go:build !race

package transform_test

// thin: a kill is tested at every operation.
const thin = 1
