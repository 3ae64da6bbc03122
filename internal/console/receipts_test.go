package console_test

import (
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/console"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/receipts/witness"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform"
)

// loggedRoot is a data root on the disk with a console, whose publications can be logged.
type loggedRoot struct {
	t         *testing.T
	dir       string
	console   string
	files     commitlog.Files
	key       *transparency.Key
	policy    *transparency.Policy
	refuse    bool // the witness
	published int
}

func newLoggedRoot(t *testing.T) *loggedRoot {
	t.Helper()
	r := &loggedRoot{t: t, dir: t.TempDir()}
	r.files = commitlog.Files{Key: filepath.Join(t.TempDir(), "log.key"), Policy: filepath.Join(t.TempDir(), "policy")}
	text, err := transparency.NewKey(rand.NewChaCha8([32]byte{1}), "example.com/prices")
	check.Must(t, err)
	r.key, err = transparency.ParseKey(text)
	check.Must(t, err)
	private, _, err := note.GenerateKey(rand.NewChaCha8([32]byte{2}), "witness.example")
	check.Must(t, err)
	w, err := witness.New(witness.Options{Root: durabletest.NewMem(), Key: private, Logs: []string{r.key.VerifierKey()}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	check.Must(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		if r.refuse {
			out.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		w.ServeHTTP(out, q)
	}))
	t.Cleanup(server.Close)
	policy := "log " + r.key.VerifierKey() + "\nwitness <b>a " + w.VerifierKey() + " " + server.URL + "\nquorum <b>a\n"
	check.Must(t, os.WriteFile(r.files.Policy, []byte(policy), 0o600))
	r.policy, err = transparency.ParsePolicy([]byte(policy))
	check.Must(t, err)
	o := console.Options{Now: time.Now, Version: "test", Log: slog.New(slog.DiscardHandler)}
	o.Data, o.Tenants = r.dir, filepath.Join(r.dir, "tenants.yaml")
	o.LogFiles = r.files
	c, err := console.New(o)
	check.Must(t, err)
	pages := httptest.NewServer(c)
	t.Cleanup(pages.Close)
	r.console = pages.URL
	return r
}

// cycle publishes a cycle of an account. Each account has matches of its own.
func (r *loggedRoot) cycle(account string) *durable.Disk {
	r.t.Helper()
	root, err := durable.OpenUnsynced(filepath.Join(r.dir, filepath.FromSlash(layout.TenantProduct(account, string(football.MarketEngine)))))
	check.Must(r.t, err)
	r.t.Cleanup(func() { root.Close() })
	data, err := durable.OpenUnsynced(r.dir)
	check.Must(r.t, err)
	defer data.Close()
	at := dataroot.Began.Add(time.Duration(r.published) * time.Hour)
	r.published++
	now := func() time.Time { return at }
	sim, err := emulator.New(simulator.Options{Seed: uint64(account[0]), Fixtures: 2, Tokens: map[string]simulator.Account{dataroot.Secret: {}}})
	check.Must(r.t, err)
	provider := httptest.NewServer(sim)
	defer provider.Close()
	tenant := dataroot.Fetching(provider.URL)
	tenant.ID = account
	_, err = fetch.Run(r.t.Context(), fetch.Options{Tenant: tenant, Product: football.MarketEngine, Root: root, Provider: all.Lookup, Now: now,
		Open: func(string, string, string) (credential.Secret, error) {
			return credential.NewSecret(dataroot.Secret), nil
		}})
	check.Must(r.t, err)
	_, err = transform.Run(r.t.Context(), transform.Options{ClientID: account, Product: football.MarketEngine, Root: root, Data: data, Key: dataroot.Key, Now: now})
	check.Must(r.t, err)
	_, err = publish.Run(r.t.Context(), publish.Options{ClientID: account, Product: football.MarketEngine, Root: root, Now: now})
	check.Must(r.t, err)
	return root
}

// log logs the newest publications.
func (r *loggedRoot) log() error {
	r.t.Helper()
	result, err := commitlog.Run(r.t.Context(), commitlog.Options{Data: r.dir, Key: r.key, Policy: r.policy, Wait: check.Limit, Now: time.Now, Post: commitlog.Post})
	if err == nil && len(result.Failed) > 0 {
		r.t.Fatalf("%+v", result.Failed)
	}
	return err
}

// get returns an answer of the console, whose status must be the wanted one.
func (r *loggedRoot) get(path string, want int) (string, http.Header) {
	r.t.Helper()
	answer, err := http.Get(r.console + path)
	check.Must(r.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != want {
		r.t.Fatalf("%s: %s, want %d, %v\n%s", path, answer.Status, want, err, body)
	}
	return string(body), answer.Header
}

// price returns a fixture, a market and a selection of the newest publication.
func price(t *testing.T, root durable.ReadFS) (fixture, market, selection string) {
	t.Helper()
	head, _, err := snapshot.Head(root)
	check.Must(t, err)
	for row, err := range snapshot.Rows[table.MarketRow](root, head.Dir()+"/"+layout.MarketsFile) {
		check.Must(t, err)
		if len(row.Selections) > 0 && row.Selections[0].Publishable {
			return row.FixtureID, row.MarketID, row.Selections[0].SelectionID
		}
	}
	t.Fatal("no price was published")
	return
}

var toReceipt = regexp.MustCompile(`href="(/receipts/[^"]*)"`)

// The page of a market leads to the receipt of each price, which mkt check accepts, and to no receipt
// of another account.
func TestReceiptOfPrice(t *testing.T) {
	r := newLoggedRoot(t)
	acme, beta := r.cycle("acme"), r.cycle("beta")
	fixture, market, selection := price(t, acme)
	page, of := "/fixtures/acme/"+fixture+"/"+market, "/receipts/acme/"+fixture+"/"+market+"/"+selection
	body, _ := r.get(page, http.StatusOK)
	if strings.Contains(body, "/receipts") {
		t.Error("without a log, the page of a market leads to receipts")
	}
	body, _ = r.get(of, http.StatusNotFound)
	if !strings.Contains(body, "has no transparency log: mkt log begins it") {
		t.Errorf("without a log: %s", body)
	}
	check.Must(t, r.log())
	body, _ = r.get(page, http.StatusOK)
	links := toReceipt.FindAllStringSubmatch(body, -1)
	found := false
	for _, l := range links {
		found = found || strings.Contains(l[1], selection)
		data, header := r.get(l[1], http.StatusOK)
		result, err := receipt.Check([]byte(data), r.policy)
		if err != nil || !result.Enough || !strings.HasPrefix(l[1], "/receipts/acme/"+fixture+"/") {
			t.Fatalf("%s: %+v, %v", l[1], result, err)
		}
		for name, want := range map[string]string{"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
			if header.Get(name) != want {
				t.Errorf("%s: %s is %q", l[1], name, header.Get(name))
			}
		}
		if name := header.Get("Content-Disposition"); name != `attachment; filename="`+result.Selection.SelectionID+`.receipt"` || !strings.Contains(l[1], result.Selection.SelectionID) {
			t.Errorf("%s: %s", l[1], name)
		}
	}
	if len(links) == 0 || !found {
		t.Fatalf("no receipt of %s: %s", selection, body)
	}

	otherFixture, otherMarket, otherSelection := price(t, beta)
	none := strings.Repeat("a", 26)
	for path, want := range map[string]int{
		of: http.StatusOK, of + "?version=1": http.StatusOK, of + "?version=2": http.StatusNotFound,
		of + "?version=0": http.StatusBadRequest, of + "?version=now": http.StatusBadRequest,
		"/receipts/beta/" + otherFixture + "/" + otherMarket + "/" + otherSelection:   http.StatusOK,
		"/receipts/acme/" + otherFixture + "/" + otherMarket + "/" + otherSelection:   http.StatusNotFound,
		"/receipts/beta/" + fixture + "/" + market + "/" + selection:                  http.StatusNotFound,
		"/receipts/acme/" + fixture + "/" + market + "/" + otherSelection:             http.StatusNotFound,
		"/receipts/acme/" + fixture + "/mk_" + none + "/" + selection:                 http.StatusNotFound,
		"/receipts/acme/fx_" + none + "/" + market + "/" + selection:                  http.StatusNotFound,
		"/receipts/acme/" + fixture + "/" + market + "/sl_%22%0d%0aX:%20y":            http.StatusNotFound,
		"/receipts/acme/" + fixture + "%2f" + market + "/" + market + "/" + selection: http.StatusNotFound,
		"/receipts/nobody/" + fixture + "/" + market + "/" + selection:                http.StatusNotFound,
		"/receipts/..%2facme/" + fixture + "/" + market + "/" + selection:             http.StatusBadRequest,
	} {
		r.get(path, want)
	}

	for site, want := range map[string]int{"same-origin": http.StatusOK, "none": http.StatusOK, "same-site": http.StatusBadRequest, "cross-site": http.StatusBadRequest} {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.console+of, nil)
		check.Must(t, err)
		q.Header.Set("Sec-Fetch-Site", site)
		answer, err := http.DefaultClient.Do(q)
		check.Must(t, err)
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("for a page that is %s: %d", site, answer.StatusCode)
		}
	}

	// A publication that is not logged yet has no receipt, and says what to do; later it has one.
	r.cycle("acme")
	body, _ = r.get(page, http.StatusOK)
	for _, l := range toReceipt.FindAllStringSubmatch(body, -1) {
		if !strings.HasSuffix(l[1], "?version=1") {
			t.Errorf("the page leads to the receipt of a publication that is not logged: %s", l[1])
		}
	}
	body, _ = r.get(of, http.StatusNotFound)
	if !strings.Contains(body, "not in the transparency log yet: mkt log logs it; try again then") {
		t.Errorf("a publication that is not logged yet: %s", body)
	}
	check.Must(t, r.log())
	r.get(of, http.StatusOK)
	first, err := snapshot.Find(acme, snapshot.Numbered(1))
	check.Must(t, err)
	check.Must(t, acme.RemoveAll(first.Dir()))
	body, _ = r.get(of+"?version=1", http.StatusNotFound)
	if !strings.Contains(body, "was deleted by retention") || strings.Contains(body, "mkt log") {
		t.Errorf("a deleted snapshot: %s", body)
	}
	body, _ = r.get(page, http.StatusOK)
	if strings.Contains(body, "?version=1") || !strings.Contains(body, of+"?version=2") {
		t.Errorf("the page leads to the receipt of a deleted snapshot, or not to that of the newest: %q", toReceipt.FindAllString(body, -1))
	}
}

// The page of the log says how much is logged, and by whom it is witnessed. It opens no private key.
func TestReceiptsPage(t *testing.T) {
	r := newLoggedRoot(t)
	r.cycle("acme")
	r.cycle("beta")
	overview := func() string {
		body, _ := r.get("/cycles", http.StatusOK)
		return body
	}
	entry := `<a href="/receipts">`
	if strings.Contains(overview(), entry) {
		t.Error("without a log and its key, the navigation has it")
	}
	check.Must(t, os.WriteFile(commitlog.PublicFile(r.files.Key), []byte(r.key.VerifierKey()+"\n"), 0o600))
	if !strings.Contains(overview(), entry) {
		t.Error("with a key of the log, the navigation does not have it")
	}
	page := func(want ...string) {
		t.Helper()
		body, _ := r.get("/receipts", http.StatusOK)
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%q is not in %s", w, body)
			}
		}
	}
	page("Nothing was logged yet", `<a href="/docs/receipts.md">`, "mkt check")
	check.Must(t, r.log())
	check.Must(t, os.Remove(commitlog.PublicFile(r.files.Key)))
	if !strings.Contains(overview(), entry) {
		t.Error("with a log, the navigation does not have it")
	}
	row := func(account, index, logged, newest, state string) string {
		return "<tr><td>" + account + "</td><td>market_engine</td><td>" + state + "</span></td>\n" + `<td class="n">` + index + `</td><td class="n">` + logged + `</td><td class="n">` + newest + "</td>"
	}
	page("<code>example.com/prices</code>", "<dd>2 leaves</dd>", "the policy is satisfied", "1 cosignature)",
		row("acme", "0", "1", "1", `<span class="good">logged`), row("beta", "1", "1", "1", `<span class="good">logged`),
		"<tr><td>&lt;b&gt;a</td>", `<span class="good">cosigns</span>`)

	// A witness that refuses, a dataset that is behind, and one that was deleted.
	r.refuse = true
	r.cycle("acme")
	if err := r.log(); err == nil {
		t.Error("the witness did not refuse")
	}
	r.cycle("gamma")
	check.Must(t, os.RemoveAll(filepath.Join(r.dir, "client_id=beta")))
	page(row("acme", "0", "1", "2", `<span class="warn">1 publication behind`), row("beta", "1", "1", "–", `<span class="soft">the data root does not have it`),
		row("gamma", "–", "–", "1", `<span class="warn">1 publication behind`),
		"the witness refuses the log as an older copy or another history, and shows no checkpoint that proves it</span> <span class=\"soft\">since <time")

	// A head that nobody has cosigned satisfies a policy that asks for no witness, and no other.
	r.policy = nil
	check.Must(t, r.log())
	page(row("acme", "2", "2", "2", `<span class="good">logged`), "<dd>4 leaves</dd>", "the policy is not satisfied", "(0 cosignatures)")
	text, err := os.ReadFile(r.files.Policy)
	check.Must(t, err)
	check.Must(t, os.WriteFile(r.files.Policy, []byte(strings.Replace(string(text), "quorum <b>a", "quorum none", 1)), 0o600))
	page("no policy asks for a witness")

	// A policy of another log.
	other, err := transparency.NewKey(rand.NewChaCha8([32]byte{3}), "example.com/other")
	check.Must(t, err)
	key, err := transparency.ParseKey(other)
	check.Must(t, err)
	check.Must(t, os.WriteFile(r.files.Policy, []byte(strings.Replace(string(text), r.key.VerifierKey(), key.VerifierKey(), 1)), 0o600))
	if body, _ := r.get("/receipts", http.StatusInternalServerError); !strings.Contains(body, "another key than those of the policy") {
		t.Errorf("a policy of another log: %s", body)
	}
}
