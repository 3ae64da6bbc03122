package cycles

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/dataset"
	"mkt/internal/evidence/inspect"
	"mkt/internal/evidence/suspicions"
	testcheck "mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// archive writes the answers of a cycle without markets, or with those of one fixture, in which
// the prices of Over and Under may be swapped.
func archive(t *testing.T, d dataset.Dataset, after time.Duration, over, under string) layout.CycleID {
	t.Helper()
	root, err := durable.OpenRoot(d.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	at := dataroot.Began.Add(after)
	id := layout.NewCycleID(at, string(d.Product))
	out, err := raw.Create(root, id, nil)
	testcheck.Must(t, err)
	answers := []dataroot.Answer{dataroot.Listing(dataroot.Listed("7", "Home", "Away"), dataroot.Listed("8", "Other", "Team")),
		dataroot.Offer("7", fmt.Sprintf(`"main":{"updated_at":"1772600100","sp":{
 "alternative_total_goals":{"id":"10202","name":"Alternative Total Goals","odds":[{"id":"4","odds":"1.30","header":"Under","name":"1.5"},{"id":"5","odds":"3.40","header":"Over","name":"1.5"},{"id":"6","odds":%q,"header":"Under","name":"2.5"},{"id":"7","odds":%q,"header":"Over","name":"2.5"}]}}}`, under, over))}
	for i, a := range answers {
		_, err := out.Add(raw.Response{Endpoint: a.Endpoint, Path: "/" + a.Endpoint, Query: a.Query, Attempt: 1, Status: 200, FetchedAt: at.Add(time.Duration(i+1) * time.Second)}, []byte(a.Body))
		testcheck.Must(t, err)
	}
	_, err = out.Reject(raw.Response{Endpoint: "bet365/prematch", Path: "/v3/bet365/prematch", Query: map[string][]string{"FI": {"8,9"}}, Attempt: 1, Status: 500, FetchedAt: at.Add(time.Minute)}, "STATUS",
		[]byte("<script>alert(1)</script>"))
	testcheck.Must(t, err)
	_, err = out.Seal(raw.Cycle{ClientID: d.Tenant, Product: d.Product, Provider: "betsapi", StartedAt: at, FinishedAt: at.Add(time.Minute), Outcome: raw.Partial, ListingComplete: true, Failed: []string{"8"}})
	testcheck.Must(t, err)
	return id
}

// A suspicion that the cycle before did not have has come, with its answer. A fixture that failed
// leads to the refused answers.
func TestProblems(t *testing.T) {
	d := dataset.Dataset{Data: t.TempDir(), Tenant: "acme", Product: football.MarketEngine}
	good, bad := archive(t, d, 0, "6.00", "1.10"), archive(t, d, time.Hour, "1.85", "1.95")
	before, err := suspicions.Read(d, good)
	testcheck.Must(t, err)
	now, err := suspicions.Read(d, bad)
	testcheck.Must(t, err)
	if came := now.Lacking(&before); len(came) != 1 || came[0].Kind.String() != "swapped_labels" || came[0].Fixture != "7" || came[0].Answer != 2 {
		t.Errorf("came: %+v", came)
	}
	if went := before.Lacking(&now); len(went) != 0 {
		t.Errorf("went: %+v", went)
	}
	if _, err := suspicions.Read(d, "20261120T000000Z-market_engine"); !errors.Is(err, suspicions.ErrNoAnswers) {
		t.Errorf("a cycle without answers: %v", err)
	}
	text, err := now.Document(&before, 1, "", func(string) (string, string, bool) { return "A <b>", "/fixtures/acme/fx_a", true }, suspicions.Pages{Cycle: "/cycles/b", Before: "/cycles/a"}).HTML()
	testcheck.Must(t, err)
	for _, want := range []string{"Came since version 1: 1", "Went since version 1: 0", "Suspicious markets: 1", `<a href="/fixtures/acme/fx_a">A &lt;b&gt;</a>`, `<a href="/cycles/b/answers/2">#2</a>`, "What could not be read: 0"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %s:\n%s", want, text)
		}
	}
	root, err := d.Open()
	testcheck.Must(t, err)
	defer root.Close()
	a, err := raw.Open(root, bad)
	testcheck.Must(t, err)
	failed := failedOf(a)
	if len(failed) != 1 || failed[0].ID != "8" || len(failed[0].Answers) != 1 || failed[0].Answers[0].Rejected != "STATUS" {
		t.Errorf("the fixtures that failed: %+v", failed)
	}
	if refused := rejectedOf(a); len(refused) != 1 || !strings.Contains(refused[0].Text, "alert") || refused[0].Lost != "" {
		t.Errorf("the refused answers: %+v", refused)
	}
	unpublished, err := inspect.UnpublishedBetween(root, []inspect.Publication{{CycleID: bad}}, true, true)
	if err != nil || len(unpublished.Cycles) != 1 || unpublished.Cycles[0].CycleID != good || unpublished.Cycles[0].Refused != 1 {
		t.Errorf("the cycles without a publication: %+v, %v", unpublished, err)
	}
}
