package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// askSockets sends the token over the socket, in the right and in wrong places, and keeps all
// answers. It uses polling, whose packets are the same as those of a websocket.
func (h *installation) askSockets(s *service, token string) {
	h.t.Helper()
	file := filepath.Join(h.t.TempDir(), "token")
	h.must(os.WriteFile(file, []byte(token), 0o600))
	h.run("", "tail", "--base-url", s.url, "--token-file", file, "--once", "--verify")
	h.run("", "tail", "--base-url", s.url, "--token-file", file, "--once", "--output", "json")
	auth := func(v any) string {
		b, err := json.Marshal(v)
		h.must(err)
		return string(b)
	}
	messages := []string{`420["subscribe",{"channel":"changes","cursor":0}]`, `421["subscribe",{"channel":"live"}]`, `422["subscribe",{"channel":"` + token + `"}]`,
		`423["` + token + `",{}]`, `424["subscribe",{"channel":"changes","cursor":"` + token + `"}]`, `425["unsubscribe",{"channel":"live"}]`}
	for name, c := range map[string]struct{ query, connect string }{
		"ready":           {"", auth(map[string]any{"token": token})},
		"token in query":  {"&token=" + token, ""},
		"damaged token":   {"", auth(map[string]any{"token": token[:len(token)-1] + "~"})},
		"token as object": {"", auth(map[string]any{"token": map[string]any{"token": token}})},
		"no object":       {"", auth([]string{token})},
	} {
		socket := s.url + "/realtime/?EIO=4&transport=polling" + c.query
		var opened struct{ SID string }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(h.pollSocket("GET", socket, ""), "0")), &opened); err != nil {
			h.t.Errorf("socket, %s: no open packet: %v", name, err)
			continue
		}
		socket += "&sid=" + opened.SID
		h.pollSocket("POST", socket, "40"+c.connect)
		answer := h.pollSocket("GET", socket, "")
		if name == "ready" {
			h.pollSocket("POST", socket, strings.Join(messages, "\x1e"))
			for range 3 { // the answers, then the pushes
				answer += h.pollSocket("GET", socket, "")
			}
			if !strings.Contains(answer, `["ready"`) || strings.Count(answer, `"ok":`) != len(messages) {
				h.t.Errorf("socket: %s", answer)
			}
			h.pollSocket("POST", socket, "1")
		}
		h.hear("socket, "+name, []byte(answer))
	}
}

// pollSocket sends one request of the polling transport.
func (h *installation) pollSocket(method, url, body string) string {
	h.t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	h.must(err)
	r.Header.Set("Content-Type", "text/plain;charset=UTF-8")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Sprint("no answer: ", err != nil)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	h.must(err)
	return string(data)
}
