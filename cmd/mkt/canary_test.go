package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"mkt/cmd/mkt/internal/cli/publishing"
	"mkt/fetch/credential"
)

// canary is a credential that every encoding spells differently.
const canary = `71234-Qz/w+K7&v=p "<é>Rr0D`

// TestCanary runs the whole system with a recognizable credential and token, against a working
// provider, one with every fault of the simulator, some that echo the credential, and none. Then it
// searches all files, output, logs and answers, and the arguments and environments of all processes.
// That every spelling is found is what the tests of package credential say.
func TestCanary(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	watching := watchProcesses(h.dir)

	h.run("", "init", ".")
	good := httptest.NewServer(newSimulator(t))
	t.Cleanup(good.Close)
	token := h.addTenant("acme")
	h.connect("acme", good.URL)
	h.unlimited("acme")
	h.run("", "provider", "test", "acme")
	h.run("", "cycle", "--tenant", "acme")
	serving := h.serve("text")
	h.askEverything(serving, token)

	h.everyFailure()
	h.wrongByHand(good.URL)
	h.end(serving)
	serving = h.serve("json")
	h.askEverything(serving, token)
	h.schedule(good.URL)
	h.end(serving)
	h.lookAround()

	seen, commands := watching.all()
	h.searchAll(token, seen)
	for _, command := range []string{"init", "tenant", "provider", "fetch", "cycle", "serve", "schedule", publishing.CheckCommand} {
		if commands[command] == 0 {
			t.Errorf("no process of mkt %s was seen: %v", command, commands)
		}
	}
}

func (h *installation) searchAll(token string, processes map[string][]byte) {
	h.t.Helper()
	s := &search{kinds: map[string]int{}}
	s.secret("the credential", canary, "")
	s.secret("the token", token, "")
	seal, err := os.ReadFile(filepath.Join(h.dir, "seal.key"))
	h.must(err)
	words := strings.Fields(string(seal))
	s.secret("the sealing key", words[len(words)-1], "seal.key")
	id, err := os.ReadFile(filepath.Join(h.dir, "id.key"))
	h.must(err)
	s.secret("the id key", string(id), "id.key")
	h.must(filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		s.kinds["file"]++
		s.in(h.t, path, append([]byte(path+"\n"), b...))
		s.in(h.t, path, b)
		return err
	}))
	var log bytes.Buffer
	for where, text := range h.heard {
		s.in(h.t, where, text)
		if strings.Contains(where, "stderr") || strings.Contains(where, "log of") {
			log.Write(text)
		}
	}
	for process, text := range processes {
		s.in(h.t, "process "+process, text)
	}
	// Proves that the search really looked at these.
	for kind, least := range map[string]int{"file": 150, "zstd": 20, "parquet": 5, "gzip": 30} {
		if s.kinds[kind] < least {
			h.t.Errorf("%d things of kind %s were searched, want %d: %v", s.kinds[kind], kind, least, s.kinds)
		}
	}
	for _, said := range []string{"AUTHORIZE_FAILED", "PERMISSION_DENIED", "provider unreachable", "quota is used up", "CREDENTIAL_ECHOED", "certificate", "not a public one", "interrupted"} {
		if !strings.Contains(log.String(), said) {
			h.t.Errorf("nobody said %q: that failure did not happen", said)
		}
	}
	h.t.Logf("searched %v, %d things heard, %d processes", s.kinds, len(h.heard), len(processes))
}

// search looks for secrets in bytes and in everything that is packed in them.
type search struct {
	secrets []secret
	kinds   map[string]int // of what was unpacked and could be read
}

// secret is a text that must never be found, but in a file of its own.
type secret struct {
	name, home string
	spellings  []*credential.Scrubber
}

func (s *search) secret(name, text, home string) {
	found := secret{name: name, home: home}
	for _, part := range []string{text, text[:12], text[2:14]} { // a long part of it is as bad
		found.spellings = append(found.spellings, credential.NewScrubber(credential.NewSecret(part)))
	}
	s.secrets = append(s.secrets, found)
}

var anyToken = regexp.MustCompile(`mkt_[0-9A-Za-z]{49}`)

// in reports every secret that is found in b.
func (s *search) in(t *testing.T, where string, b []byte) {
	t.Helper()
	for b != nil {
		for _, secret := range s.secrets {
			for _, spelling := range secret.spellings {
				if spelling.Found(b) && filepath.Base(where) != secret.home {
					t.Errorf("%s is in %s", secret.name, where)
				}
			}
		}
		if anyToken.Match(b) {
			t.Errorf("an API token is in %s", where)
		}
		kind, inner, err := unpacked(b)
		if err != nil && !strings.Contains(where, "/staging/") { // an incomplete file of a killed run
			t.Errorf("%s cannot be unpacked: %v", where, err)
		}
		if known := map[string]string{"zstd": `"success"`, "gzip": `{"`, "parquet": "betsapi"}; kind != "" && bytes.Contains(inner, []byte(known[kind])) {
			s.kinds[kind]++
		}
		b = inner
	}
}

// unpacked returns what is packed in a file or an answer, nil if it is not packed.
func unpacked(b []byte) (kind string, inner []byte, err error) {
	switch {
	case bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		r, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return "zstd", nil, err
		}
		defer r.Close()
		inner, err = r.DecodeAll(b, nil)
		return "zstd", inner, err
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err == nil {
			inner, err = io.ReadAll(r)
		}
		return "gzip", inner, err
	case bytes.HasPrefix(b, []byte("PAR1")):
		inner, err = parquetValues(b)
		return "parquet", inner, err
	}
	return "", nil, nil
}

// parquetValues returns all values of all columns, a line each.
func parquetValues(b []byte) ([]byte, error) {
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	rows := make([]parquet.Row, 64)
	for _, g := range f.RowGroups() {
		r := g.Rows()
		for err = nil; err == nil; {
			var n int
			n, err = r.ReadRows(rows)
			for _, row := range rows[:n] {
				for _, v := range row {
					out.WriteString(v.String() + "\n")
				}
			}
		}
		if r.Close(); !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
