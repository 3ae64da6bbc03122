package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/credential"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/serve/account"
)

// accountsPerFault is how many accounts have each fault at once.
const accountsPerFault = 20

// manyAccounts is an installation whose accounts all use one provider through a gate, and the API.
type manyAccounts struct {
	*installation
	gate     *gate
	accounts []string
	tokens   map[string]string
	newest   map[string]batch.Report // of the last successful cycle, by account
	api      *service
}

// newManyAccounts returns after a successful cycle of every account.
func newManyAccounts(t *testing.T, accounts, fixtures int) *manyAccounts {
	t.Helper()
	h := newInstallation(t)
	h.run("", "init", ".")
	sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: fixtures, Quota: 1_000_000, Tokens: map[string]simulator.Account{canary: {Seed: 3}}})
	h.must(err)
	c := &manyAccounts{installation: h, gate: newGate(t, sim), tokens: map[string]string{}}
	key, err := credential.LoadIdentity(filepath.Join(h.dir, "seal.key"))
	h.must(err)
	_, err = tenants.Edit(t.Context(), filepath.Join(h.dir, "tenants.yaml"), func(e *tenants.Editor) error {
		for i := range accounts {
			id := fmt.Sprintf("account-%03d", i+1)
			d := demo.Account{Credential: canary, Tenant: demo.NewTenant(id, []football.Product{football.MarketEngine}, nil)}
			d.Tenant.Limit = account.Limit{Requests: 1_000_000, Per: time.Minute, Burst: 1_000_000}
			if err := errors.Join(d.Secure(key.Recipient(), c.gate.url(id), time.Now()), e.Replace(d.Tenant)); err != nil {
				return err
			}
			c.accounts, c.tokens[id] = append(c.accounts, id), d.Token
		}
		return nil
	})
	h.must(err)
	c.good()
	c.api = h.serve("json")
	c.served()
	return c
}

// cycles runs mkt cycle --all once and returns its exit code and the last report of each account.
func (c *manyAccounts) cycles() (code int, last map[string]batch.Report) {
	c.t.Helper()
	cmd := c.command(c.t.Context(), "cycle", "--all", "--parallel", "128", "--output", "json")
	cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+c.gate.trusted)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	last = map[string]batch.Report{}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var r batch.Report
		c.must(json.Unmarshal(lines.Bytes(), &r))
		last[r.Tenant] = r
	}
	if len(last) != len(c.accounts) {
		c.t.Fatalf("%d of %d accounts were reported\n%s", len(last), len(c.accounts), errs.String())
	}
	return cmd.ProcessState.ExitCode(), last
}

// good runs a cycle in which every account must publish, until the API serves it.
func (c *manyAccounts) good() {
	c.t.Helper()
	var code int
	code, c.newest = c.cycles()
	for id, r := range c.newest {
		if code != cli.ExitDone || r.Step != "publish" || !r.OK {
			c.t.Fatalf("exit code %d, %s: %+v", code, id, r)
		}
	}
	if c.api != nil {
		c.served()
	}
}

func (c *manyAccounts) served() {
	c.t.Helper()
	end := time.Now().Add(2 * time.Minute)
	for _, id := range c.accounts {
		for len(c.events(id, c.newest[id].Cycle)) == 0 {
			if time.Now().After(end) {
				c.t.Fatalf("%s: %s is not served", id, c.newest[id].Cycle)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// failing runs a cycle in which every account must fail with a code.
func (c *manyAccounts) failing(exit int, why string) {
	c.t.Helper()
	code, last := c.cycles()
	for id, r := range last {
		if code != exit || r.Step != "fetch" || r.OK || r.Code != why {
			c.t.Errorf("exit code %d, %s: %+v", code, id, r)
		}
	}
}

func (c *manyAccounts) ask(id, path string) (status int, body string) {
	c.t.Helper()
	return mustGet(c.t, c.api.url+"/api/v1"+path, c.tokens[id])
}

// data returns the data of every account in the API, without its freshness.
func (c *manyAccounts) data() map[string]string {
	c.t.Helper()
	all := map[string]string{}
	for _, id := range c.accounts {
		for _, path := range []string{"/fixtures?limit=200", "/changes?limit=200"} {
			var page struct{ Data json.RawMessage }
			status, body := c.ask(id, path)
			if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK || len(page.Data) < 100 {
				c.t.Fatalf("%s%s: %d %.200s", id, path, status, body)
			}
			all[id+path] = string(page.Data)
		}
	}
	return all
}

func (c *manyAccounts) connected(want string) {
	c.t.Helper()
	for _, id := range c.accounts {
		c.connection(id, want)
	}
}

func (c *manyAccounts) connection(id, want string) {
	c.t.Helper()
	var got struct{ Data struct{ Status string } }
	for end := time.Now().Add(10 * time.Second); got.Data.Status != want; time.Sleep(50 * time.Millisecond) {
		_, body := c.ask(id, "/account/provider")
		c.must(json.Unmarshal([]byte(body), &got))
		if time.Now().After(end) {
			c.t.Fatalf("%s is %s, want %s", id, got.Data.Status, want)
		}
	}
}

// publications returns how often an account has published.
func (c *manyAccounts) publications(id string) int {
	c.t.Helper()
	list, err := os.ReadDir(filepath.Join(c.dir, "data", "client_id="+id, "product=market_engine", "commits"))
	c.must(err)
	return len(list)
}

// If the provider is unreachable in any phase, every account keeps its data and is DEGRADED after
// the third failure in a row, and CONNECTED after a successful run.
func TestProviderUnreachable(t *testing.T) {
	needs.Time(t, "twenty accounts wait for every timeout")
	for _, c := range []struct {
		phase     string
		connFault func(*gate, *net.TCPConn)
	}{
		{"silent before the header", holdHeader},
		{"silent in the handshake", holdHandshake},
		{"silent in the body", holdBody},
		{"silent on connecting", nil},
		{"refused on connecting", nil},
		{"refused in the handshake", refuseHandshake},
		{"reset in the handshake", resetHandshake},
		{"reset in the header", resetHeader},
		{"reset in the body", resetBody},
	} {
		t.Run(c.phase, func(t *testing.T) {
			t.Parallel()
			b := newManyAccounts(t, accountsPerFault, 20)
			before := b.data()
			restore := func() {}
			switch c.phase {
			case "silent on connecting":
				restore = b.gate.fill()
			case "refused on connecting":
				b.gate.shut()
			default:
				b.gate.setFaults(c.connFault, nil)
			}
			began := time.Now()
			for _, want := range []string{"CONNECTED", "CONNECTED", "DEGRADED"} {
				b.failing(cli.ExitLater, "PROVIDER_UNREACHABLE")
				b.connected(want)
				b.unchanged(before)
			}
			took := time.Since(began)
			restore()
			if c.connFault == nil {
				b.gate.open(b.gate.address)
			}
			b.gate.repair()
			b.good()
			b.connected("CONNECTED")
			t.Logf("%d accounts × 3 runs failed in %v, their data stayed; then %d good runs", accountsPerFault, took.Round(time.Second), accountsPerFault)
			b.end(b.api)
		})
	}
}

// unchanged compares the API's answers with earlier ones.
func (c *manyAccounts) unchanged(before map[string]string) {
	c.t.Helper()
	for what, data := range c.data() {
		if data != before[what] {
			c.t.Errorf("%s is another", what)
		}
	}
}

// A burst of errors only delays a run.
func TestProviderBurstsOfErrors(t *testing.T) {
	needs.Time(t, "twenty accounts wait to ask again")
	b := newManyAccounts(t, accountsPerFault, 20)
	for name, burst := range map[string][2]int{"the first three": {1, 3}, "three in the middle": {2, 4}} {
		var fell int64
		b.gate.forget()
		b.gate.setFaults(nil, func(w http.ResponseWriter, r *http.Request, a turn) bool {
			if a.n < burst[0] || a.n > burst[1] {
				return false
			}
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, `{"success":0,"error":"INTERNAL_SERVER_ERROR"}`)
			b.gate.mu.Lock()
			defer b.gate.mu.Unlock()
			fell++
			return true
		})
		b.good()
		if fell != 3*accountsPerFault {
			t.Errorf("%s: %d requests failed, want %d", name, fell, 3*accountsPerFault)
		}
		t.Logf("%s: %d errors, %d of %d runs published", name, fell, accountsPerFault, accountsPerFault)
	}
	before := b.data()
	b.gate.setFaults(nil, func(w http.ResponseWriter, r *http.Request, a turn) bool {
		w.WriteHeader(http.StatusInternalServerError)
		return true
	})
	for _, want := range []string{"CONNECTED", "CONNECTED", "DEGRADED"} {
		b.failing(cli.ExitLater, "PROVIDER_UNREACHABLE")
		b.connected(want)
		b.unchanged(before)
	}
	b.gate.repair()
	b.good()
	b.connected("CONNECTED")
	b.end(b.api)
}

// If a provider asks for a wait of five seconds it gets it every time, and the run succeeds.
func TestRetryAfterIsObeyed(t *testing.T) {
	needs.Time(t, "waits of five seconds")
	const wait = 5 * time.Second
	b := newManyAccounts(t, accountsPerFault, 20)
	b.gate.forget()
	b.gate.setFaults(nil, func(w http.ResponseWriter, r *http.Request, a turn) bool {
		if a.n > 2 {
			return false
		}
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"success":0,"error":"TOO_MANY_REQUESTS"}`)
		return true
	})
	b.good()
	b.connected("CONNECTED")
	least := time.Hour
	for _, id := range b.accounts {
		asked := b.gate.times(id)
		for i := range 2 {
			least = min(least, asked[i+1].Sub(asked[i]))
		}
	}
	if least < wait {
		t.Errorf("asked again after %v, want %v", least, wait)
	}
	t.Logf("%d waits of %v, the shortest %v; %d of %d runs published", 2*accountsPerFault, wait, least.Round(time.Millisecond), accountsPerFault, accountsPerFault)
	b.end(b.api)
}

// A credential that is refused from any request on stops the run: it is confirmed by one more request,
// nothing is published, and data routes answer 409 until there is another credential.
func TestProviderRefusesAtEveryRequest(t *testing.T) {
	needs.Time(t, "an account for every request of a run")
	const accounts = 24
	b := newManyAccounts(t, accounts, 100)
	whole := len(b.gate.times(b.accounts[0]))
	if whole < 10 || whole > accounts {
		t.Fatalf("a run is %d requests", whole)
	}
	b.gate.forget()
	b.gate.setFaults(nil, func(w http.ResponseWriter, r *http.Request, a turn) bool {
		if fmt.Sprintf("account-%03d", a.n) < a.account {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"success":0,"error":"AUTHORIZE_FAILED"}`)
		return true
	})
	code, last := b.cycles()
	refused := 0
	for i, id := range b.accounts {
		asked := len(b.gate.times(id))
		if asked <= i {
			continue // this run had fewer requests
		}
		refused++
		if r := last[id]; code != cli.ExitFailed || r.Step != "fetch" || r.OK || r.Code != "CREDENTIAL_REJECTED" {
			t.Errorf("exit code %d, request %d: %+v", code, i+1, r)
		}
		// Of the four requests at once, three may be under way, and the refused one is repeated.
		if most := i + 1 + 4; asked > most {
			t.Errorf("refused at request %d, asked %d times", i+1, asked)
		}
		b.connection(id, "INVALID_CREDENTIAL")
		for _, path := range []string{"/fixtures", "/changes", "/fixtures/fx_aaaaaaaaaaaaaaaaaaaaaaaaaa"} {
			if status, body := b.ask(id, path); status != http.StatusConflict || !strings.Contains(body, `"PROVIDER_NOT_CONNECTED"`) {
				t.Errorf("%s%s: %d %s", id, path, status, body)
			}
		}
		if n := b.publications(id); n != 1 {
			t.Errorf("%s has published %d times", id, n)
		}
	}
	if refused < whole-2 {
		t.Errorf("%d of %d requests were refused", refused, whole)
	}
	t.Logf("refused at each of %d requests: %d runs stopped, 0 published, 409 afterwards", whole, refused)
	b.end(b.api)
}

// With a wrong certificate or an old protocol no account sends a request, which would reveal its
// credential.
func TestProviderWithWrongCertificate(t *testing.T) {
	needs.Time(t, "twenty accounts for every certificate")
	b := newManyAccounts(t, accountsPerFault, 20)
	before := b.data()
	stranger := newSigner(t)
	same := func(*x509.Certificate) {}
	for name, c := range map[string]*tls.Config{
		"expired":            {Certificates: []tls.Certificate{b.gate.sign.certificate(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })}},
		"of another host":    {Certificates: []tls.Certificate{b.gate.sign.certificate(t, func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 2)} })}},
		"of another signer":  {Certificates: []tls.Certificate{stranger.certificate(t, same)}},
		"self-signed":        {Certificates: []tls.Certificate{selfSigned(t)}},
		"good, over TLS 1.1": {Certificates: []tls.Certificate{b.gate.sign.certificate(t, same)}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
		"good, over TLS 1.0": {Certificates: []tls.Certificate{b.gate.sign.certificate(t, same)}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10},
	} {
		b.gate.repair()
		b.gate.forget()
		b.gate.mu.Lock()
		b.gate.tls = c
		b.gate.mu.Unlock()
		b.failing(cli.ExitLater, "PROVIDER_UNREACHABLE")
		for _, id := range b.accounts {
			if n := len(b.gate.times(id)); n > 0 {
				t.Errorf("certificate %s: %s sent %d requests", name, id, n)
			}
		}
		b.unchanged(before)
		t.Logf("certificate %s: refused by %d accounts, 0 requests sent", name, accountsPerFault)
	}
	b.gate.repair()
	b.good()
	b.end(b.api)
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	s := newSigner(t)
	s.cert = &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, SerialNumber: s.cert.SerialNumber,
		NotBefore: s.cert.NotBefore, NotAfter: s.cert.NotAfter, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, s.cert, s.cert, &s.key.PublicKey, s.key)
	check.Must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: s.key}
}
