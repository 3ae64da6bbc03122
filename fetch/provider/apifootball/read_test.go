package apifootball_test

import (
	"flag"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider/apifootball"
	"mkt/internal/testing/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// adapter is the one under test, as the stages see it.
var adapter = apifootball.Provider().Markets

var fetchedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const goldens = "testdata/read/*.txtar"

var payload = providertest.PayloadsOf(fetchedAt, "fixtures", "odds")

// TestGoldens reads the payloads of testdata/read and compares the results.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, goldens, *update, func(a *txtar.Archive) string { return providertest.ReadAll(adapter, a, payload) })
}
