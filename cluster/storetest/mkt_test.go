package storetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mkt/cluster/servers"
)

// installation is a folder with settings, keys, an account with both products, and a
// simulated provider.
type installation struct {
	t      testing.TB
	binary string
	dir    string
	token  string
}

func newInstallation(t testing.TB) *installation {
	t.Helper()
	binary, err := servers.MKT()
	must(t, err)
	i := &installation{t: t, binary: binary, dir: t.TempDir()}
	i.run("init")
	var tenant struct{ Token string }
	i.json(&tenant, "tenant", "add", account, "--product", "market_engine", "--product", "live_intelligence")
	i.token = tenant.Token
	i.run("tenant", "limit", "set", account, "--requests", "100000", "--per", "1m", "--burst", "10000")
	var provider struct {
		Token   string
		BaseURL string `json:"base_url"`
	}
	i.start(&provider, "simulate", "--listen", "127.0.0.1:0", "--fixtures", "8", "--in-play", "3")
	cmd := i.command("provider", "set", account, "--provider", "betsapi", "--base-url", provider.BaseURL, "--allow-private-address")
	cmd.Stdin = strings.NewReader(provider.Token)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return i
}

func (i *installation) command(args ...string) *exec.Cmd {
	cmd := exec.Command(i.binary, args...)
	cmd.Dir = i.dir
	cmd.Env = append(os.Environ(), "AWS_EC2_METADATA_DISABLED=true")
	return cmd
}

// try runs a command and returns what it wrote and its exit code.
func (i *installation) try(args ...string) (out string, code int) {
	cmd := i.command(args...)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		i.t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

func (i *installation) run(args ...string) string {
	i.t.Helper()
	out, code := i.try(args...)
	if code != 0 {
		i.t.Fatalf("mkt %s: exit code %d: %s", strings.Join(args, " "), code, out)
	}
	return out
}

func (i *installation) json(to any, args ...string) {
	i.t.Helper()
	out, err := i.command(append(args, "--output", "json")...).Output()
	if err == nil {
		err = json.Unmarshal(out, to)
	}
	if err != nil {
		i.t.Fatalf("mkt %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// start starts a service, and reads the first line of its output.
func (i *installation) start(ready any, args ...string) *exec.Cmd {
	i.t.Helper()
	cmd := i.command(append(args, "--output", "json")...)
	out, err := cmd.StdoutPipe()
	must(i.t, err)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	must(i.t, cmd.Start())
	i.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	if err := json.NewDecoder(out).Decode(ready); err != nil {
		_ = cmd.Process.Kill()
		i.t.Fatalf("mkt %s: %v: %s", strings.Join(args, " "), err, errs.String())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return cmd
}

// C1 with real processes: mkt cycle is killed at every operation of the store, and its data
// root is deleted. Every publication that was acknowledged is in the store, which can be
// pulled and verified.
func TestRealWorkersAreKilled(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 20
	}
	i, p := newInstallation(t), startProxy(t)
	url := p.URL("real")
	published := func() (n int) {
		names, err := filepath.Glob(gateway.File("real/client_id=acme/product=market_engine/commits/*.json"))
		must(t, err)
		return len(names)
	}
	var kills, acked int
	for _, after := range []bool{false, true} {
		for n := 1; ; n += step {
			cmd := i.command("cycle", "--tenant", account, "--product", "market_engine", "--data", filepath.Join(i.dir, fmt.Sprint("data-", after, n)), "--store", url)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			p.Reset()
			var once sync.Once
			kill := func() { once.Do(func() { _ = cmd.Process.Kill() }) }
			p.Inject(func(op servers.Operation) servers.Fault {
				switch {
				case op.N < n:
					return servers.Fault{}
				case op.N == n && after:
					return servers.Fault{After: kill}
				}
				kill()
				return servers.Fault{DropRequest: true}
			})
			before := published()
			must(t, cmd.Start())
			err := cmd.Wait()
			p.Heal()
			now := published()
			if now < before || now > before+1 || err == nil && now != before+1 {
				t.Fatalf("killed at %d: %d publications, then %d: %s", n, before, now, out.String())
			}
			if acked = max(acked, before); err == nil {
				acked = now
				break
			}
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
				t.Fatalf("a worker that was not killed: %v: %s", err, out.String())
			}
			kills++
			must(t, os.RemoveAll(cmd.Args[len(cmd.Args)-3]))
		}
	}
	i.run("pull", "--all", "--data", "pulled", "--store", gateway.URL("real"))
	out := i.run("verify", "--all", "--data", "pulled")
	if published() < acked || acked < 2 {
		t.Errorf("%d publications, %d were acknowledged", published(), acked)
	}
	t.Logf("%d kills, %d publications; %s", kills, published(), strings.TrimSpace(out))
}

// C8: a store that ignores conditions is refused by every command that writes, with nothing
// in it, and the run has its code.
func TestStoreThatIgnoresConditions(t *testing.T) {
	t.Parallel()
	f, err := servers.StartForgetful()
	must(t, err)
	t.Cleanup(f.Stop)
	p, err := servers.StartProxy(f.Address)
	must(t, err)
	t.Cleanup(p.Stop)
	var mu sync.Mutex
	written := map[string]bool{}
	p.Inject(func(op servers.Operation) servers.Fault {
		mu.Lock()
		defer mu.Unlock()
		if op.Kind != servers.Get && op.Kind != servers.Head && op.Kind != servers.List {
			first, _, _ := strings.Cut(op.Key, "/")
			written[first] = true
		}
		return servers.Fault{}
	})
	i := newInstallation(t)
	i.run("cycle", "--tenant", account, "--product", "market_engine")
	url := p.URL("")
	for _, args := range [][]string{{"cycle", "--tenant", account, "--product", "market_engine", "--store", url}, {"push", "--all", "--store", url}} {
		out, code := i.try(args...)
		if code != 1 || !strings.Contains(out, "ignores conditional writes") {
			t.Errorf("mkt %s: exit code %d: %s", args[0], code, out)
		}
		discreet(t, p.Address, errors.New(out))
	}
	i.state("market_engine", "STORAGE")
	mu.Lock()
	defer mu.Unlock()
	if len(written) != 1 || !written["probe"] {
		t.Errorf("written or deleted: %v", written)
	}
}

// state checks the code of the last run of publish.
func (i *installation) state(product, code string) {
	i.t.Helper()
	data, err := os.ReadFile(filepath.Join(i.dir, "data/client_id=acme/product="+product+"/state/publish.json"))
	if err != nil || !bytes.Contains(data, []byte(`"`+code+`"`)) {
		i.t.Errorf("the state of publish is not %s: %s %v", code, data, err)
	}
}

// Bad stores as the operator sees them: the exit code, the message, the code of the state;
// the next run goes on.
func TestBadStoresOfRealRuns(t *testing.T) {
	t.Parallel()
	i, p := newInstallation(t), startProxy(t)
	cycle := []string{"cycle", "--tenant", account, "--product", "market_engine", "--store", p.URL("runs")}
	i.run(cycle...)
	for _, bad := range []struct {
		fault servers.Fault
		want  string
		code  int
	}{
		{servers.Fault{Refuse: servers.BadKey}, "refuses the credential", 1},
		{servers.Fault{Refuse: servers.NoBucket}, "has no bucket of this name", 1},
		{servers.Fault{Refuse: servers.Full}, "is full, or its quota is used up", 1},
		{servers.Fault{DropRequest: true}, "cannot be reached, or fails", 75},
	} {
		p.Inject(func(op servers.Operation) servers.Fault { return bad.fault })
		out, code := i.try(cycle...)
		if code != bad.code || !strings.Contains(out, bad.want) {
			t.Errorf("want %q, exit code %d: %s", bad.want, code, out)
		}
		discreet(t, p.Address, errors.New(strings.ReplaceAll(out, "127.0.0.1:0", "")))
		i.state("market_engine", "STORAGE")
	}
	p.Heal()
	if out := i.run(cycle...); !strings.Contains(out, "version 2") && !strings.Contains(out, "version 3") {
		t.Errorf("afterwards: %s", out)
	}
	i.run("pull", "--all", "--data", "pulled", "--store", gateway.URL("runs"))
	i.run("verify", "--all", "--data", "pulled")
}

// discreet checks that an error holds no address, credential or text of the store.
func discreet(t testing.TB, address string, err error) {
	t.Helper()
	for _, secret := range []string{address, "127.0.0.1", "http", gateway.Access, gateway.Secret, "canary", "Please", "RequestID", "api error"} {
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error holds %q: %v", secret, err)
		}
	}
}

// get asks a server, and returns the body of its answer.
func (i *installation) get(base, path string) (int, http.Header, []byte, error) {
	r, err := http.NewRequestWithContext(i.t.Context(), http.MethodGet, base+"/api/v1"+path, nil)
	must(i.t, err)
	r.Header.Set("Authorization", "Bearer "+i.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	_, err = body.ReadFrom(answer.Body)
	return answer.StatusCode, answer.Header, body.Bytes(), err
}
