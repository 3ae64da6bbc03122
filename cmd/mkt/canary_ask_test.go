package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// lookAround runs every command that shows data.
func (h *installation) lookAround() {
	for _, args := range [][]string{
		{"tenant", "list"}, {"tenant", "show", "acme"}, {"tenant", "log"}, {"tenant", "validate"}, {"provider", "status"}, {"provider", "status", "acme"},
		{"verify"}, {"verify", "--deep"}, {"gc", "--dry-run"}, {"recover"},
		{"doctor"}, {"doctor", "--online"}, {"version"}, {"--help"}, {"live", "show", " - "}, {"live", "show", " - ", "--html", "-"},
		{"diff", "--tenant", "acme", "--product", "market_engine"}, {"diff", "--tenant", "acme", "--product", "market_engine", "--html", "-"},
		{"inspect"}, {"inspect", "--tenant", "acme", "--product", "market_engine"}, {"inspect", "latest", "--tenant", "acme", "--product", "market_engine"},
		{"inspect", "--tenant", "acme", "--sql", "SELECT * FROM fixtures"}, {"inspect", "--tenant", "acme", "--sql", "SELECT * FROM read_text('seal.key')"},
		{"replay", "--from", "latest", "--into", "again"}, {"explain", "fx_aaaaaaaaaaaaaaaaaaaaaaaaaa"}, {"explain", "fx_aaaaaaaaaaaaaaaaaaaaaaaaaa/momentum"},
	} {
		h.run("", args...)
		if out := h.run("", append(args, "--output", "json")...); strings.Contains(out, `"tenant":`) {
			h.t.Errorf("mkt %v: the key of an account is client_id in every answer: %.300s", args, out)
		}
	}
}

func (h *installation) askEverything(s *service, token string) {
	h.t.Helper()
	paths := []string{"/status", "/schema", "/fixtures", "/fixtures?limit=1", "/changes", "/account", "/account/provider", "/account/usage",
		"/fixtures/fx_aaaaaaaaaaaaaaaaaaaaaaaaaa", "/fixtures/fx_aaaaaaaaaaaaaaaaaaaaaaaaaa/markets", "/live", "/nothing",
		"/fixtures?limit=0", "/fixtures?cursor=nonsense", "/fixtures?starts_after=nonsense", "/fixtures?limit=1&limit=2", "/fixtures?%zz"}
	for _, id := range h.listed(s, token, "/fixtures?limit=3") {
		h.run("", "explain", id)
		h.run("", "explain", id, "--output", "json")
		paths = append(paths, "/fixtures/"+id, "/fixtures/"+id+"/markets?limit=200", "/fixtures/"+id+"/markets/TOTAL_GOALS")
	}
	for _, id := range h.listed(s, token, "/live?limit=3") {
		paths = append(paths, "/live/"+id, "/live/"+id+"/timeline", "/live/"+id+"/momentum", "/live/"+id+"/stats")
	}
	for _, path := range []string{"/metrics", "/readyz", "/livez", "/", "/nothing"} {
		h.ask("GET", s.side+path, "Bearer "+token, "")
	}
	h.askSockets(s, token)
	// Even a token in the wrong place must not get into a log.
	misplaced := []string{"/fixtures?token=" + token, "/live?cursor=" + token, "/live/" + token + "/stats", "/fixtures?cursor=" + token, "/fixtures?limit=" + token, "/fixtures?league=" + token,
		"/fixtures/" + token, "/" + token, "/account?access_token=" + token}
	for _, authorization := range []string{"Bearer " + token, "", "Bearer " + token[:len(token)-1], "Basic " + base64.StdEncoding.EncodeToString([]byte("x:"+token)), token, "Bearer " + token + " " + token} {
		for _, path := range slices.Concat(paths, misplaced) {
			h.ask("GET", s.url+"/api/v1"+path, authorization, "https://acme.example")
		}
		h.ask("GET", s.url+"/api/v1/fixtures", authorization, "https://"+token+".example")
		for _, method := range []string{"POST", "HEAD", "OPTIONS", "DELETE"} {
			h.ask(method, s.url+"/api/v1/fixtures", authorization, "https://acme.example")
		}
	}
}

func (h *installation) listed(s *service, token, path string) (ids []string) {
	h.t.Helper()
	var page struct {
		Data []struct {
			ID string `json:"fixture_id"`
		}
	}
	for end := time.Now().Add(10 * time.Second); len(page.Data) == 0 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_ = json.Unmarshal(h.ask("GET", s.url+"/api/v1"+path, "Bearer "+token, ""), &page)
	}
	if len(page.Data) == 0 {
		h.t.Errorf("%s lists nothing: %s", path, h.ask("GET", s.url+"/api/v1"+path, "Bearer "+token, ""))
	}
	for _, f := range page.Data {
		ids = append(ids, f.ID)
	}
	return ids
}

// ask sends a request plain and compressed, and keeps the answers with their headers.
func (h *installation) ask(method, url, authorization, origin string) (body []byte) {
	h.t.Helper()
	for _, packing := range []string{"gzip", "identity"} {
		r, err := http.NewRequest(method, url, nil)
		if err != nil {
			r, err = http.NewRequest(method, strings.SplitN(url, "?", 2)[0], nil)
			h.must(err)
			r.URL.RawQuery = strings.SplitN(url, "?", 2)[1]
		}
		r.Header.Set("Accept-Encoding", packing)
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		if origin != "" {
			r.Header.Set("Origin", origin)
			r.Header.Set("X-Request-Id", anyToken.FindString(authorization))
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			h.t.Errorf("%s %s: %v", method, r.URL.Path, err)
			return nil
		}
		body, err = io.ReadAll(answer.Body)
		answer.Body.Close()
		h.must(err)
		var head bytes.Buffer
		answer.Header.Write(&head)
		asked := anyToken.ReplaceAllString(method+" "+r.URL.Path, "TOKEN")
		h.keep(asked+" headers", head.Bytes())
		h.keep(asked+" body", body)
	}
	return body
}

// askSockets sends the token over the socket, in the right place and damaged, and to its address.
func (h *installation) askSockets(s *service, token string) {
	h.t.Helper()
	file := filepath.Join(h.t.TempDir(), "token")
	for _, text := range []string{token, token[:len(token)-1] + "~"} {
		h.must(os.WriteFile(file, []byte(text), 0o600))
		h.run("", "tail", "--base-url", s.url, "--token-file", file, "--once", "--verify")
		h.run("", "tail", "--base-url", s.url, "--token-file", file, "--once", "--output", "json")
	}
	h.ask("GET", s.url+"/realtime/?EIO=4&transport=polling&token="+token, "", "")
}
