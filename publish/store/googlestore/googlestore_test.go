package googlestore_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/check"
	"mkt/internal/needs"
	"mkt/publish/store"
	"mkt/publish/store/googlestore"
	"mkt/publish/store/storetest"
)

const name = "bucket-of-tests"

var provider = storetest.Provider{
	Serve: func(_ *testing.T, address string) http.Handler { return newServer(address) },
	Open: func(t *testing.T, address string) store.Bucket {
		// Not t.Setenv, because tests run at once: each has another server.
		environment.Lock()
		defer environment.Unlock()
		os.Setenv(googlestore.EmulatorVariable, "http://"+address)
		defer os.Unsetenv(googlestore.EmulatorVariable)
		b, err := googlestore.Open(t.Context(), &url.URL{Scheme: "gs", Host: name})
		check.Must(t, err)
		return b
	},
	Refuse:        func(w http.ResponseWriter, _ *http.Request, why storetest.Refusal) { refuse(w, why.Status, why.Code) },
	NoBucket:      storetest.Refusal{Status: http.StatusNotFound, Code: "notFound"},
	Unconditional: unconditional,
	Page:          10,
}

var environment sync.Mutex

func unconditional(r *http.Request) {
	q := r.URL.Query()
	q.Del("ifGenerationMatch")
	r.URL.RawQuery = q.Encode()
}

func TestDriver(t *testing.T) { storetest.TestDriver(t, provider) }

// fake-gcs-server appends a part that it is sent again, and does not look at X-Goog-Hash.
func TestFakeServer(t *testing.T) {
	program := needs.Program(t, "fake-gcs-server", "go install github.com/fsouza/fake-gcs-server@v1.56.1")
	emulated := provider
	emulated.Page, emulated.TrustsUploads, emulated.NoSameParts, emulated.RepeatsPrefixes = 1000, true, true, true
	emulated.Serve = func(t *testing.T, public string) http.Handler {
		address := storetest.FreeAddress(t)
		_, port, _ := strings.Cut(address, ":")
		cmd := exec.Command(program, "-scheme", "http", "-host", "127.0.0.1", "-port", port, "-backend", "memory", "-public-host", public, "-external-url", "http://"+public)
		check.Must(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		storetest.Await(t, address)
		answer, err := http.Post("http://"+address+"/storage/v1/b", "application/json", strings.NewReader(`{"name":"`+name+`"}`))
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer, err)
		}
		answer.Body.Close()
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: address})
			r.Out.Host = r.In.Host
		}}
	}
	storetest.TestDriver(t, emulated)
}

// server is a bucket of Cloud Storage in memory, as the reference of its JSON API and its
// page on resumable uploads describe it.
type server struct {
	address string

	mu       sync.Mutex
	objects  map[string]object
	sessions map[string]*session
	keep     func(at int, part []byte) int // how much of a part is kept; nil = all
}

type object struct {
	data []byte
	at   time.Time
}

// session is an upload in parts.
type session struct {
	key          string
	onlyIfAbsent bool
	data         []byte
	done         bool
}

func newServer(address string) *server {
	return &server{address: address, objects: map[string]object{}, sessions: map[string]*session{}}
}

func sum(data []byte) string {
	s := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	s.Write(data)
	return base64.StdEncoding.EncodeToString(s.Sum(nil))
}

func (o object) resource(key string) map[string]any {
	return map[string]any{"kind": "storage#object", "name": key, "size": strconv.Itoa(len(o.data)), "updated": o.at.UTC().Format(time.RFC3339Nano), "crc32c": sum(o.data), "generation": "1"}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	key, isObject := strings.CutPrefix(r.URL.Path, "/storage/v1/b/"+name+"/o/")
	there, found := s.objects[key]
	switch {
	case r.Method == http.MethodPut && q.Has("upload_id"):
		s.part(w, r, s.sessions[q.Get("upload_id")])
	case r.Method == http.MethodPost && r.URL.Path == "/upload/storage/v1/b/"+name+"/o":
		s.upload(w, r)
	case r.Method == http.MethodGet && r.URL.Path == "/storage/v1/b/"+name+"/o":
		s.list(w, q)
	case !isObject || !found:
		refuse(w, http.StatusNotFound, "notFound")
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case q.Get("alt") == "media":
		w.Header().Set("X-Goog-Hash", "crc32c="+sum(there.data)+",md5=1B2M2Y8AsgTpgAmY7PhCfg==")
		w.Header().Set("Last-Modified", there.at.UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Length", strconv.Itoa(len(there.data)))
		_, _ = w.Write(there.data)
	default:
		_ = json.NewEncoder(w).Encode(there.resource(key))
	}
}

func (s *server) upload(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	key, onlyIfAbsent := q.Get("name"), q.Get("ifGenerationMatch") == "0"
	if _, found := s.objects[key]; found && onlyIfAbsent {
		refuse(w, http.StatusPreconditionFailed, "conditionNotMet")
		return
	}
	if q.Get("uploadType") == "resumable" {
		id := fmt.Sprint(len(s.sessions))
		s.sessions[id] = &session{key: key, onlyIfAbsent: onlyIfAbsent}
		w.Header().Set("Location", "http://"+s.address+"/upload/storage/v1/b/"+name+"/o?uploadType=resumable&upload_id="+id)
		return
	}
	_, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	parts := multipart.NewReader(r.Body, parameters["boundary"])
	var about struct{ Name, CRC32C string }
	first, err := parts.NextPart()
	if err != nil || json.NewDecoder(first).Decode(&about) != nil {
		refuse(w, http.StatusBadRequest, "badRequest")
		return
	}
	second, err := parts.NextPart()
	if err != nil {
		refuse(w, http.StatusBadRequest, "badRequest")
		return
	}
	data, err := io.ReadAll(second)
	if err != nil || about.Name != key || about.CRC32C != "" && about.CRC32C != sum(data) {
		refuse(w, http.StatusBadRequest, "invalid")
		return
	}
	s.objects[key] = object{data, time.Now()}
	_ = json.NewEncoder(w).Encode(s.objects[key].resource(key))
}

// part takes a part of an upload. Bytes that the session has are not taken again.
func (s *server) part(w http.ResponseWriter, r *http.Request, up *session) {
	if up == nil {
		refuse(w, http.StatusNotFound, "notFound")
		return
	}
	if up.done {
		_ = json.NewEncoder(w).Encode(s.objects[up.key].resource(up.key))
		return
	}
	data, err := io.ReadAll(r.Body)
	span, total, ok := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), "/")
	if err != nil || !ok {
		refuse(w, http.StatusBadRequest, "badRequest")
		return
	}
	if span != "*" {
		var first, last int
		if _, err := fmt.Sscanf(span, "%d-%d", &first, &last); err != nil || last-first+1 != len(data) || first > len(up.data) || total == "*" && len(data)%(256<<10) > 0 {
			refuse(w, http.StatusBadRequest, "badRequest")
			return
		}
		rest := data[min(len(up.data)-first, len(data)):]
		if s.keep != nil {
			rest = rest[:s.keep(len(up.data), rest)]
		}
		up.data = append(up.data, rest...)
	}
	if total != strconv.Itoa(len(up.data)) {
		if len(up.data) > 0 {
			w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(up.data)-1))
		}
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	if want, ok := strings.CutPrefix(r.Header.Get("X-Goog-Hash"), "crc32c="); ok && want != sum(up.data) {
		refuse(w, http.StatusBadRequest, "invalid")
		return
	}
	if _, found := s.objects[up.key]; found && up.onlyIfAbsent {
		refuse(w, http.StatusPreconditionFailed, "conditionNotMet")
		return
	}
	up.done = true
	s.objects[up.key] = object{up.data, time.Now()}
	_ = json.NewEncoder(w).Encode(s.objects[up.key].resource(up.key))
}

// list answers with pages of ten names.
func (s *server) list(w http.ResponseWriter, q url.Values) {
	var items []any
	var prefixes []string
	next, last := "", ""
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		rest, ok := strings.CutPrefix(key, q.Get("prefix"))
		if !ok || key < q.Get("startOffset") {
			continue
		}
		shown, isPrefix := key, false
		if at := strings.Index(rest, q.Get("delimiter")); q.Get("delimiter") != "" && at >= 0 {
			shown, isPrefix = q.Get("prefix")+rest[:at+1], true
		}
		if shown == last || shown <= q.Get("pageToken") {
			continue
		}
		if len(items)+len(prefixes) == provider.Page {
			next = last
			break
		}
		if last = shown; isPrefix {
			prefixes = append(prefixes, shown)
		} else {
			items = append(items, s.objects[key].resource(key))
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"items": items, "prefixes": prefixes, "nextPageToken": next})
}

func refuse(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": status, "message": "canary of the store", "errors": []any{map[string]string{"reason": reason, "message": "canary of the store"}}}})
}

// A part of which the store keeps less than it was sent is completed, and one of which it
// keeps nothing is not sent without an end.
func TestPartsThatAreKeptInPart(t *testing.T) {
	for kept, works := range map[int]bool{1 << 20: true, 0: false} {
		listener := httptest.NewUnstartedServer(nil)
		s := newServer(listener.Listener.Addr().String())
		s.keep = func(_ int, part []byte) int { return min(kept, len(part)) }
		listener.Config.Handler = s
		listener.Start()
		defer listener.Close()
		b := provider.Open(t, s.address)
		data := bytes.Repeat([]byte("0123456789abcdef"), 1<<20+100)
		err := b.Write(t.Context(), "key", bytes.NewReader(data), true)
		if works && (err != nil || !bytes.Equal(s.objects["key"].data, data)) || !works && (err == nil || len(s.objects) > 0) {
			t.Errorf("%d bytes of a part are kept: %v", kept, err)
		}
	}
}

// Addresses and credentials that are wrong are refused without a secret.
func TestOpen(t *testing.T) {
	t.Setenv(googlestore.EmulatorVariable, "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/canary")
	for parameters, want := range map[string]string{
		"nonsense=canary":  "unknown parameter",
		"anonymous=canary": "wants true or false",
		"anonymous=true":   "",
		"":                 "no credential was found",
	} {
		_, err := googlestore.Open(t.Context(), &url.URL{Scheme: "gs", Host: name, RawQuery: parameters})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary")) {
			t.Errorf("%s: %v, want %q", parameters, err, want)
		}
	}
}

// A token goes to Google alone, wherever an answer says that the parts of an upload belong.
func TestSessionsElsewhere(t *testing.T) {
	for address, want := range map[string]bool{
		"https://storage.googleapis.com/upload/storage/v1/b/x/o?upload_id=1": true,
		"https://www.googleapis.com:443/upload/storage/v1/b/x/o?upload_id=1": true,
		"http://storage.googleapis.com/upload":                               false,
		"https://storage.googleapis.com.example.org/upload":                  false,
		"https://example.org/?storage.googleapis.com":                        false,
		"https://storage.googleapis.com@example.org/":                        false,
		"/upload/storage/v1/b/x/o?upload_id=1":                               false,
		"":                                                                   false,
	} {
		if got := googlestore.MayAsk(false, address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
	if !googlestore.MayAsk(true, "http://127.0.0.1:4443/upload") {
		t.Error("an emulator, which gets no token, is not asked")
	}
}
