package storetest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"mkt/cluster/servers"
	_ "mkt/internal/cluster/store/s3store"
	"mkt/internal/testing/check"
)

const account = "acme"

// must ends the test if there is an error.
var must = check.Must

var gateway *servers.Store

// The tests share a store. Each has its own prefix and its own proxy.
func TestMain(m *testing.M) {
	flag.Parse()
	code := func() int {
		dir, err := os.MkdirTemp("", "mkt-storetest-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if gateway, err = servers.StartStore(dir); err != nil {
			panic(err)
		}
		defer gateway.Stop()
		for _, variable := range gateway.Env() {
			name, value, _ := strings.Cut(variable, "=")
			os.Setenv(name, value)
		}
		return m.Run()
	}()
	os.Exit(code)
}

// startProxy starts a proxy in front of the store.
func startProxy(t testing.TB) *servers.Proxy {
	t.Helper()
	p, err := servers.StartProxy(gateway.Address)
	must(t, err)
	t.Cleanup(p.Stop)
	return p
}
