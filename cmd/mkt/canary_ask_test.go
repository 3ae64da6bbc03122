package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// lookAround runs every command that shows something.
func (h *house) lookAround() {
	for _, args := range [][]string{
		{"tenant", "list"}, {"tenant", "show", "acme"}, {"tenant", "log"}, {"tenant", "validate"}, {"provider", "list"}, {"provider", "status", "acme"},
		{"doctor"}, {"doctor", "--online"}, {"version"}, {"--help"},
	} {
		h.run("", args...)
		h.run("", append(args, "--output", "json")...)
	}
}

// askEverything sends every kind of request to every route.
func (h *house) askEverything(s *service, token string) {
	h.t.Helper()
	paths := []string{"/status", "/schema", "/fixtures", "/fixtures?limit=1", "/changes", "/account", "/account/provider", "/account/usage",
		"/fixtures/fx_aaaaaaaaaaaaaaaaaaaaaaaaaa", "/fixtures/fx_aaaaaaaaaaaaaaaaaaaaaaaaaa/markets", "/live", "/nothing",
		"/fixtures?limit=0", "/fixtures?cursor=nonsense", "/fixtures?starts_after=nonsense", "/fixtures?limit=1&limit=2", "/fixtures?%zz"}
	var page struct {
		Data []struct {
			ID string `json:"fixture_id"`
		}
	}
	for end := time.Now().Add(10 * time.Second); len(page.Data) == 0 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_ = json.Unmarshal(h.ask("GET", s.url+"/api/v1/fixtures?limit=3", "Bearer "+token, ""), &page)
	}
	if len(page.Data) == 0 {
		h.t.Errorf("no fixtures are served: %s", h.ask("GET", s.url+"/api/v1/fixtures?limit=3", "Bearer "+token, ""))
	}
	for _, f := range page.Data {
		paths = append(paths, "/fixtures/"+f.ID, "/fixtures/"+f.ID+"/markets?limit=200", "/fixtures/"+f.ID+"/markets/TOTAL_GOALS")
	}
	for _, path := range []string{"/metrics", "/readyz", "/livez", "/", "/nothing"} {
		h.ask("GET", s.side+path, "Bearer "+token, "")
	}
	// What a client should not do with its token must not get it into a log.
	misplaced := []string{"/fixtures?token=" + token, "/fixtures?cursor=" + token, "/fixtures?limit=" + token, "/fixtures?league=" + token,
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

// ask asks plainly and packed, and keeps the answer with its headers.
func (h *house) ask(method, url, authorization, origin string) (body []byte) {
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
		asked := strings.NewReplacer(" ", "_").Replace(method + " " + r.URL.Path)
		if strings.Contains(url, "mkt_") { // the request's own text is not an answer
			asked = "a request with a misplaced token"
		}
		if origin != "" && strings.Contains(origin, "mkt_") {
			asked += " from an odd origin"
		}
		h.hear(asked+" headers", head.Bytes())
		h.hear(asked+" body", body)
	}
	return body
}
