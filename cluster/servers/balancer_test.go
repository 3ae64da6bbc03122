package servers_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mkt/cluster/servers"
	"mkt/internal/testing/check"
)

// Requests go to all replicas, those of a session of long polling to one, and none fails
// because a replica has died.
func TestBalancer(t *testing.T) {
	b, err := servers.StartBalancer("127.0.0.1:0")
	check.Must(t, err)
	t.Cleanup(b.Stop)
	var replicas []*httptest.Server
	var urls []string
	for i := range 3 {
		replica := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("transport") == "polling" && !r.URL.Query().Has("sid") {
				fmt.Fprintf(w, `0{"sid":"session-of-%d","upgrades":[]}`, i)
				return
			}
			fmt.Fprint(w, i)
		}))
		t.Cleanup(replica.Close)
		replicas, urls = append(replicas, replica), append(urls, replica.URL)
	}
	check.Must(t, b.Set(urls...))
	get := func(path string) string {
		t.Helper()
		answer, err := http.Get(b.URL() + path)
		check.Must(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer.Status, err)
		}
		return string(body)
	}
	seen := map[string]bool{}
	for range 6 {
		seen[get("/api/v1/live")] = true
	}
	if len(seen) != 3 {
		t.Errorf("replicas that answered: %v", seen)
	}
	var of int
	if _, err := fmt.Sscanf(get("/realtime/?EIO=4&transport=polling"), `0{"sid":"session-of-%d"`, &of); err != nil {
		t.Fatal(err)
	}
	session := fmt.Sprintf("session-of-%d", of)
	for range 6 {
		if got := get("/realtime/?EIO=4&transport=polling&sid=" + session); got != fmt.Sprint(of) {
			t.Errorf("the session of replica %d reached replica %s", of, got)
		}
	}
	replicas[0].Close()
	for range 6 {
		if got := get("/api/v1/live"); got == "0" {
			t.Error("a dead replica answers")
		}
	}
}
