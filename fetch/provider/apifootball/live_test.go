package apifootball_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/internal/testing/providertest"
)

var live = apifootball.Provider().Live

// TestLiveGolden reads a list of matches in play and a payload of details.
func TestLiveGolden(t *testing.T) {
	providertest.Compare(t, "testdata/live.txtar", *update, func(a *txtar.Archive) string {
		var b strings.Builder
		list, err := live.ReadList([]provider.Payload{{Number: 1, Endpoint: "fixtures/live", FetchedAt: fetchedAt, Body: a.Files[0].Data}})
		if err != nil {
			t.Fatal(err)
		}
		providertest.WriteLive(&b, "list", list)
		detail, err := live.ReadDetail(provider.Payload{Number: 2, Endpoint: "fixtures/ids", FetchedAt: fetchedAt, Body: a.Files[1].Data})
		if err != nil {
			t.Fatal(err)
		}
		providertest.WriteLive(&b, "detail", detail)
		return b.String()
	})
}
