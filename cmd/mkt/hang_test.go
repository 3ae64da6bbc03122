package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/credential"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/serve/account"
)

// hanging is the number of accounts; the provider of the first does not answer.
const hanging = 50

// TestOneProviderHangs: the provider of one account accepts connections and never answers. The
// other 49 accounts publish nevertheless. Their time with and without it is logged but not judged,
// because machines are busy.
func TestOneProviderHangs(t *testing.T) {
	needs.Time(t, "cycles of fifty accounts, several times over")
	h := newInstallation(t)
	h.run("", "init", ".")
	good, bad := h.simulator("--seed", "3"), h.simulator("--seed", "3", "--fault", "timeout:1")
	var with, without []time.Duration
	var allWith, allWithout time.Duration
	for range 2 { // alternating, so that a busy minute affects both
		each, all := h.cycleAll(good, good, hanging)
		without, allWithout = append(without, each...), allWithout+all
		each, all = h.cycleAll(bad, good, hanging-1)
		with, allWith = append(with, each...), allWith+all
	}
	t.Logf("a cycle, p50 and p95: %v and %v beside a provider that hangs, %v and %v without: p95 %.2f times",
		part(with, 50), part(with, 95), part(without, 50), part(without, 95), part(with, 95).Seconds()/part(without, 95).Seconds())
	t.Logf("from the start to the 49th publication, mean: %v beside it, %v without", allWith/2, allWithout/2)
}

// upstream is a provider with the credential that it accepts.
type upstream struct {
	URL   string `json:"base_url"`
	Token string `json:"token"`
}

func (h *installation) simulator(args ...string) (s upstream) {
	h.t.Helper()
	cmd := h.command(h.t.Context(), append([]string{"simulate", "--listen", "127.0.0.1:0", "--fixtures", "20", "--quota", "1000000", "--output", "json"}, args...)...)
	out, err := cmd.StdoutPipe()
	h.must(errors.Join(err, cmd.Start()))
	h.t.Cleanup(func() { _ = cmd.Process.Kill() })
	h.must(json.NewDecoder(out).Decode(&s))
	return s
}

// cycleAll runs mkt cycle --all on a new data root until that many accounts have published. It
// returns the time of each account's cycle, and of all.
func (h *installation) cycleAll(first, others upstream, published int) (each []time.Duration, all time.Duration) {
	h.t.Helper()
	key, err := credential.LoadIdentity(filepath.Join(h.dir, "seal.key"))
	h.must(err)
	_, err = tenants.Edit(h.t.Context(), filepath.Join(h.dir, "tenants.yaml"), func(e *tenants.Editor) error {
		for i := range hanging {
			of := others
			if i == 0 {
				of = first
			}
			id := fmt.Sprintf("account-%02d", i)
			sealed, err := credential.Seal(key.Recipient(), id, "betsapi", []byte(of.Token))
			if err := errors.Join(err, e.Replace(tenants.Tenant{ID: id, Status: account.Active, Limit: account.DefaultLimit,
				Products: map[football.Product]account.Subscription{football.MarketEngine: {}},
				Provider: &tenants.Provider{Name: "betsapi", BaseURL: of.URL, AllowPrivateAddress: true, Credential: sealed}})); err != nil {
				return err
			}
		}
		return nil
	})
	h.must(err)
	h.times++
	cmd := h.command(h.t.Context(), "cycle", "--all", "--data", fmt.Sprint("data-", h.times), "--output", "json")
	out, err := cmd.StdoutPipe()
	h.must(err)
	began := time.Now()
	h.must(cmd.Start())
	took := map[string]time.Duration{}
	for lines := bufio.NewScanner(out); len(each) < published && lines.Scan(); {
		var r batch.Report
		h.must(json.Unmarshal(lines.Bytes(), &r))
		took[r.Tenant] += time.Duration(r.Seconds * float64(time.Second))
		if r.Step == "publish" && r.OK {
			each = append(each, took[r.Tenant])
		}
	}
	all = time.Since(began)
	h.must(cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // the cycle that hangs is interrupted
	if len(each) != published {
		h.t.Fatalf("%d accounts published, want %d", len(each), published)
	}
	return each, all
}

// part returns a percentile.
func part(list []time.Duration, percent int) time.Duration {
	slices.Sort(list)
	return list[min(len(list)*percent/100, len(list)-1)]
}
