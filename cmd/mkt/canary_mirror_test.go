package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
)

// mirrors are the ways in which a provider, or a server in front of it, may echo the credential.
var mirrors = map[string]func(w http.ResponseWriter, r *http.Request, token string){
	"detail": func(w http.ResponseWriter, _ *http.Request, token string) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"success":0,"error":"AUTHORIZE_FAILED","error_detail":%s}`, jsonString("token "+token+" is not known"))
	},
	"error word": func(w http.ResponseWriter, _ *http.Request, token string) {
		fmt.Fprintf(w, `{"success":0,"error":%s}`, jsonString(token))
	},
	"page": func(w http.ResponseWriter, r *http.Request, token string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "<html><h1>Blocked</h1><p>%s</p><p>%s</p></html>", r.URL.String(), token)
	},
	"redirect": func(w http.ResponseWriter, r *http.Request, _ string) {
		http.Redirect(w, r, "/login?from="+url.QueryEscape(r.URL.String()), http.StatusFound)
	},
	"headers": func(w http.ResponseWriter, _ *http.Request, token string) {
		for _, name := range []string{"Content-Type", "Last-Modified", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Set-Cookie", "X-Token", "Date"} {
			w.Header().Set(name, token)
		}
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"success":0,"error":"INTERNAL_SERVER_ERROR"}`)
	},
	"headers of a good answer": func(w http.ResponseWriter, _ *http.Request, token string) {
		for _, name := range []string{"Content-Type", "Last-Modified", "X-RateLimit-Limit", "X-RateLimit-Reset", "Set-Cookie"} {
			w.Header().Set(name, url.QueryEscape(token))
		}
		fmt.Fprint(w, `{"success":1,"pager":{"page":1,"per_page":50,"total":0},"results":[]}`)
	},
	"good answer": func(w http.ResponseWriter, _ *http.Request, token string) {
		fmt.Fprintf(w, `{"success":1,"pager":{"page":1,"per_page":50,"total":1},"results":[{"id":"77","time":"1800000000","time_status":"0",`+
			`"league":{"id":"1","name":"L"},"home":{"id":"2","name":%s},"away":{"id":"3","name":"B"}}]}`, jsonString("Home "+token))
	},
	"field": func(w http.ResponseWriter, _ *http.Request, token string) {
		fmt.Fprintf(w, `{"success":1,"pager":{"page":1,"per_page":50,"total":1},"results":[{"id":"77","time":"1800000000","time_status":"0",%s:1,`+
			`"league":{"id":"1","name":"L"},"home":{"id":"2","name":"A"},"away":{"id":"3","name":"B"}}]}`, jsonString(token))
	},
	"spellings": func(w http.ResponseWriter, r *http.Request, token string) {
		w.WriteHeader(http.StatusForbidden)
		all := []string{hex.EncodeToString([]byte(token)), url.QueryEscape(token), url.PathEscape(token), strings.ToUpper(hex.EncodeToString([]byte(token))),
			escapesIn(url.QueryEscape(token), strings.ToLower), jsonText(token, true), jsonText(token, false), strings.ReplaceAll(jsonText(token, false), "/", `\/`)}
		for _, before := range []string{"", "a", "ab"} {
			all = append(all, base64.StdEncoding.EncodeToString([]byte(before+token+"!")), base64.URLEncoding.EncodeToString([]byte(before+r.URL.String())))
		}
		fmt.Fprintf(w, `{"success":0,"error":"PERMISSION_DENIED","error_detail":"%s"}`, strings.Join(all, " "))
	},
	"packed, not said": func(w http.ResponseWriter, _ *http.Request, token string) {
		w.Write(packGzip([]byte(`{"success":0,"error_detail":` + string(jsonString(token)) + "}")))
	},
	"packed twice": func(w http.ResponseWriter, _ *http.Request, token string) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packGzip(packGzip([]byte("<html>" + token + "</html>"))))
	},
	"wide": func(w http.ResponseWriter, _ *http.Request, token string) {
		w.Write([]byte("\xff\xfe" + wide(token)))
	},
	"packed": func(w http.ResponseWriter, r *http.Request, token string) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packGzip([]byte("<html>" + r.URL.String() + " " + token + "</html>")))
	},
	"cut": func(w http.ResponseWriter, _ *http.Request, token string) {
		hijack(w, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n"+`{"success":0,"error_detail":"`+token[:len(token)-3])
	},
	"status line": func(w http.ResponseWriter, _ *http.Request, token string) {
		hijack(w, "HTTP/1.1 500 "+token+"\r\nContent-Length: 2\r\n\r\n{}")
	},
	"bad status": func(w http.ResponseWriter, _ *http.Request, token string) { hijack(w, "HTTP/1.1 "+token+"\r\n\r\n") },
	"bad header": func(w http.ResponseWriter, _ *http.Request, token string) {
		hijack(w, "HTTP/1.1 200 OK\r\nno header "+token+"\r\n\r\n{}")
	},
	"bad location": func(w http.ResponseWriter, _ *http.Request, token string) {
		hijack(w, "HTTP/1.1 302 Found\r\nLocation: http://%zz"+token+"\r\nContent-Length: 0\r\n\r\n")
	},
	"bad encoding": func(w http.ResponseWriter, _ *http.Request, token string) {
		hijack(w, "HTTP/1.1 200 OK\r\nContent-Encoding: "+token+"\r\nTransfer-Encoding: chunked\r\n\r\n"+token+"\r\n")
	},
	"no HTTP": func(w http.ResponseWriter, _ *http.Request, token string) { hijack(w, token+"\r\n") },
}

// wide returns the text in UTF-16.
func wide(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(unit))
		b.WriteByte(byte(unit >> 8))
	}
	return b.String()
}

func jsonString(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// hijack answers with exactly these bytes.
func hijack(w http.ResponseWriter, text string) {
	conn, rw, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	rw.WriteString(text)
	rw.Flush()
}

// newMirror starts a provider that echoes the credential, in all answers or only in those about
// markets.
func newMirror(t *testing.T, kind, token string, onlyMarkets bool) (baseURL string) {
	t.Helper()
	sim := newSimulator(t, token)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if onlyMarkets && !strings.Contains(r.URL.Path, "prematch") {
			sim.ServeHTTP(w, r)
			return
		}
		mirrors[kind](w, r, token)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func newSimulator(t *testing.T, token string, faults ...string) *simulator.Server {
	t.Helper()
	o := simulator.Options{Seed: 3, Fixtures: 6, Tokens: map[string]simulator.Account{token: {Seed: 3}}}
	for _, text := range faults {
		f, err := simulator.ParseFault(text)
		check.Must(t, err)
		o.Faults = append(o.Faults, f)
	}
	sim, err := emulator.New(o)
	check.Must(t, err)
	return sim
}
