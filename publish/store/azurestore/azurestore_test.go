package azurestore_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
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
	"mkt/publish/store/azurestore"
	"mkt/publish/store/storetest"
)

// The account of Azurite, which its documentation publishes.
const (
	account = "devstoreaccount1"
	key     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	name    = "container"
)

var provider = storetest.Provider{
	Serve: func(*testing.T, string) http.Handler {
		return &server{blobs: map[string]blob{}, blocks: map[string][]byte{}}
	},
	Open: func(t *testing.T, address string) store.Bucket {
		b, err := azurestore.Open(t.Context(), &url.URL{Scheme: "azblob", Host: name, RawQuery: "protocol=http&domain=" + address})
		check.Must(t, err)
		return b
	},
	Refuse:        func(w http.ResponseWriter, _ *http.Request, why storetest.Refusal) { refuse(w, why.Status, why.Code) },
	NoBucket:      storetest.Refusal{Status: http.StatusNotFound, Code: "ContainerNotFound"},
	Unconditional: func(r *http.Request) { r.Header.Del("If-None-Match") },
	Page:          10,
}

func environment(t *testing.T) {
	for _, name := range []string{"AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGEBLOB_CONNECTIONSTRING", "AZURE_STORAGE_DOMAIN", "AZURE_STORAGE_PROTOCOL", "AZURE_STORAGE_IS_CDN", "AZURE_STORAGE_IS_LOCAL_EMULATOR"} {
		t.Setenv(name, "")
	}
	t.Setenv("AZURE_STORAGE_ACCOUNT", account)
	t.Setenv("AZURE_STORAGE_KEY", key)
}

func TestDriver(t *testing.T) {
	environment(t)
	storetest.TestDriver(t, provider)
}

// Azurite is Microsoft's emulator.
func TestAzurite(t *testing.T) {
	program := needs.Program(t, "azurite-blob", "npm install azurite")
	environment(t)
	emulated := provider
	emulated.Page, emulated.Unconditional = 5000, nil // which it wants signed
	emulated.Serve = func(t *testing.T, _ string) http.Handler {
		address := storetest.FreeAddress(t)
		_, port, _ := strings.Cut(address, ":")
		cmd := exec.Command(program, "--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--blobPort", port)
		check.Must(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		storetest.Await(t, address)
		at := "http://" + address + "/" + account + "/" + name + "?restype=container"
		r, err := http.NewRequest(http.MethodPut, at, nil)
		check.Must(t, err)
		r.Header.Set("X-Ms-Date", time.Now().UTC().Format(http.TimeFormat))
		r.Header.Set("X-Ms-Version", "2021-12-02")
		sign(r)
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusCreated {
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

// sign signs the creation of a container, as the page "Authorize with Shared Key" says.
func sign(r *http.Request) {
	text := "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:" + r.Header.Get("X-Ms-Date") + "\nx-ms-version:" + r.Header.Get("X-Ms-Version") + "\n/" + account + r.URL.Path + "\nrestype:container"
	secret, _ := base64.StdEncoding.DecodeString(key)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	r.Header.Set("Authorization", "SharedKey "+account+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// server is a container of Azure Blob Storage in memory, as the reference of its REST API
// describes it: Put Blob, Put Block, Put Block List, Get Blob, Get Blob Properties, Delete
// Blob and List Blobs.
type server struct {
	mu     sync.Mutex
	blobs  map[string]blob
	blocks map[string][]byte // by the names of the blob and the block; those of a blob may be named again
}

type blob struct {
	data, md5 []byte
	at        time.Time
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	blobName, inContainer := strings.CutPrefix(strings.TrimPrefix(r.URL.Path, "/"+account+"/"+name), "/")
	q := r.URL.Query()
	body, _ := io.ReadAll(r.Body)
	if want := r.Header.Get("Content-Md5"); want != "" {
		if got := md5.Sum(body); base64.StdEncoding.EncodeToString(got[:]) != want {
			refuse(w, http.StatusBadRequest, "Md5Mismatch")
			return
		}
	}
	there, found := s.blobs[blobName]
	switch {
	case !strings.HasPrefix(r.Header.Get("Authorization"), "SharedKey "+account+":"):
		refuse(w, http.StatusForbidden, "AuthenticationFailed")
	case !inContainer && r.Method == http.MethodGet && q.Get("comp") == "list":
		s.list(w, q)
	case !inContainer:
		refuse(w, http.StatusBadRequest, "UnsupportedHttpVerb")
	case r.Method == http.MethodPut && q.Get("comp") == "block":
		s.blocks[blobName+"\n"+q.Get("blockid")] = body
		w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPut && r.Header.Get("If-None-Match") == "*" && found:
		refuse(w, http.StatusConflict, "BlobAlreadyExists")
	case r.Method == http.MethodPut && q.Get("comp") == "blocklist":
		var list struct{ Latest []string }
		if xml.Unmarshal(body, &list) != nil {
			refuse(w, http.StatusBadRequest, "InvalidXmlDocument")
			return
		}
		var whole []byte
		for _, id := range list.Latest {
			part, ok := s.blocks[blobName+"\n"+id]
			if !ok {
				refuse(w, http.StatusBadRequest, "InvalidBlockList")
				return
			}
			whole = append(whole, part...)
		}
		s.store(w, r, blobName, whole)
	case r.Method == http.MethodPut && r.Header.Get("X-Ms-Blob-Type") == "BlockBlob":
		s.store(w, r, blobName, body)
	case !found:
		refuse(w, http.StatusNotFound, "BlobNotFound")
	case r.Method == http.MethodDelete:
		delete(s.blobs, blobName)
		w.WriteHeader(http.StatusAccepted)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		w.Header().Set("Content-Length", strconv.Itoa(len(there.data)))
		w.Header().Set("Content-Md5", base64.StdEncoding.EncodeToString(there.md5))
		w.Header().Set("Last-Modified", there.at.UTC().Format(http.TimeFormat))
		if r.Method == http.MethodGet {
			_, _ = w.Write(there.data)
		}
	default:
		refuse(w, http.StatusBadRequest, "UnsupportedHttpVerb")
	}
}

func (s *server) store(w http.ResponseWriter, r *http.Request, name string, data []byte) {
	sum, _ := base64.StdEncoding.DecodeString(r.Header.Get("X-Ms-Blob-Content-Md5"))
	if len(sum) == 0 {
		whole := md5.Sum(data)
		sum = whole[:]
	}
	s.blobs[name] = blob{bytes.Clone(data), sum, time.Now()}
	w.WriteHeader(http.StatusCreated)
}

type listed struct {
	XMLName    xml.Name `xml:"EnumerationResults"`
	Blobs      []any    `xml:"Blobs>Any"`
	NextMarker string
}

type listedBlob struct {
	XMLName    xml.Name `xml:"Blob"`
	Name       string
	Properties struct {
		Modified string `xml:"Last-Modified"`
		Length   int    `xml:"Content-Length"`
	}
}

type listedPrefix struct {
	XMLName xml.Name `xml:"BlobPrefix"`
	Name    string
}

// list answers with pages of ten names.
func (s *server) list(w http.ResponseWriter, q url.Values) {
	var list listed
	last := ""
	for _, key := range slices.Sorted(maps.Keys(s.blobs)) {
		rest, ok := strings.CutPrefix(key, q.Get("prefix"))
		if !ok {
			continue
		}
		entry := listedBlob{Name: key}
		entry.Properties.Modified, entry.Properties.Length = s.blobs[key].at.UTC().Format(http.TimeFormat), len(s.blobs[key].data)
		shown, any := key, any(entry)
		if at := strings.Index(rest, q.Get("delimiter")); q.Get("delimiter") != "" && at >= 0 {
			shown = q.Get("prefix") + rest[:at+1]
			any = listedPrefix{Name: shown}
		}
		if shown == last || shown <= q.Get("marker") {
			continue
		}
		if len(list.Blobs) == provider.Page {
			list.NextMarker = last
			break
		}
		list.Blobs, last = append(list.Blobs, any), shown
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(list)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("X-Ms-Error-Code", code)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>"+code+"</Code><Message>canary of the store</Message></Error>")
}

// Addresses that are wrong are refused without a secret.
func TestOpen(t *testing.T) {
	environment(t)
	for parameters, want := range map[string]string{
		"nonsense=canary":    "unknown parameter",
		"localemu=canary":    "wants true or false",
		"protocol=ftp":       "http or https",
		"storage_account=a1": "",
	} {
		_, err := azurestore.Open(t.Context(), &url.URL{Scheme: "azblob", Host: name, RawQuery: parameters})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary")) {
			t.Errorf("%s: %v, want %q", parameters, err, want)
		}
	}
	t.Setenv("AZURE_STORAGE_KEY", "no base64, canary")
	if _, err := azurestore.Open(t.Context(), &url.URL{Scheme: "azblob", Host: name}); err == nil || strings.Contains(err.Error(), "canary") {
		t.Error(err)
	}
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "canary")
	if _, err := azurestore.Open(t.Context(), &url.URL{Scheme: "azblob", Host: name, RawQuery: "domain=elsewhere.example"}); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("a token would be sent to another server: %v", err)
	}
}
