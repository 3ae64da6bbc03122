package main

import (
	"net/http"
	"syscall"
	"testing"

	"mkt/internal/testing/check"
)

// Lost rights take effect even while the server drains.
func TestEditsReachADrainingServer(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.run("", "init", ".")
	token := h.addTenant("acme")
	s := h.start("serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--cache", "cache", "--output", "json", "--drain-delay", "5s")
	h.must(s.cmd.Process.Signal(syscall.SIGTERM))
	answers := func(status int, url string) func() bool {
		return func() bool {
			got, _ := mustGet(t, url, token)
			return got == status
		}
	}
	check.Eventually(t, "it drains", answers(http.StatusServiceUnavailable, s.side+"/readyz"))
	h.run("", "tenant", "suspend", "acme")
	check.Eventually(t, "the edit is in force", answers(http.StatusForbidden, s.url+"/api/v1/account"))
	if err := <-s.done; err != nil {
		t.Errorf("%v\n%s", err, s.errs)
	}
}
