package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"mkt/internal/testing/check"
)

// secret is a text that must never be found, in all its spellings. Package credential is under test,
// so the spellings are made here.
type secret struct {
	name      string
	spellings [][]byte
}

func newSecret(name, text string) secret {
	all := []string{text, hex.EncodeToString([]byte(text)), strings.ToUpper(hex.EncodeToString([]byte(text))), html.EscapeString(text)}
	for _, escaped := range []string{url.QueryEscape(text), url.PathEscape(text)} {
		all = append(all, escaped, escapesIn(escaped, strings.ToLower))
	}
	for _, plainly := range []bool{false, true} {
		escaped := jsonText(text, plainly)
		all = append(all, escaped, strings.ReplaceAll(escaped, "/", `\/`))
	}
	for skip := range 3 {
		// Three bytes are four characters. The characters of the complete groups are the same in any
		// encoding of a text that contains the secret.
		padded := bytes.Repeat([]byte{'x'}, skip)
		padded = append(padded, text...)
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			whole := padded[:len(padded)/3*3]
			from := 0
			if skip > 0 {
				from = 4
			}
			all = append(all, e.EncodeToString(whole)[from:])
		}
	}
	all = append(all, wide(text))
	if len(text) >= 16 { // a long part of it is as bad
		all = append(all, text[:12], text[2:14])
	}
	slices.Sort(all)
	s := secret{name: name}
	for _, spelling := range slices.Compact(all) {
		s.spellings = append(s.spellings, []byte(spelling))
	}
	return s
}

// in returns the spelling that b contains, or "".
func (s secret) in(b []byte) string {
	for _, spelling := range s.spellings {
		if bytes.Contains(b, spelling) {
			return string(spelling)
		}
	}
	return ""
}

var escapeForm = regexp.MustCompile(`%[0-9A-F]{2}`)

func escapesIn(s string, turn func(string) string) string {
	return escapeForm.ReplaceAllStringFunc(s, turn)
}

func jsonText(s string, plainly bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(!plainly)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.Trim(strings.TrimSpace(b.String()), `"`)
}

// layers returns the bytes of a file or an answer and everything packed in them, recursively. kinds
// counts the unpacked layers.
func layers(b []byte, kinds map[string]int) ([][]byte, error) {
	var inner []byte
	var kind string
	var err error
	switch {
	case bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		kind = "zstd"
		inner, err = unzstd(b)
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		kind = "gzip"
		inner, err = ungzip(b)
	case bytes.HasPrefix(b, []byte("PAR1")):
		kind = "parquet"
		inner, err = parquetValues(b)
	default:
		return [][]byte{b}, nil
	}
	if err != nil {
		return [][]byte{b}, fmt.Errorf("%s: %w", kind, err)
	}
	kinds[kind]++
	more, err := layers(inner, kinds)
	return append(more, b), err
}

func unzstd(b []byte) ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.DecodeAll(b, nil)
}

func ungzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
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
					out.WriteString(v.String())
					out.WriteByte('\n')
				}
			}
		}
		if err := errors.Join(eofIsFine(err), r.Close()); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func eofIsFine(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// anyToken matches any API token.
var anyToken = regexp.MustCompile(`mkt_[0-9A-Za-z]{49}`)

// search reports every secret that is found in b.
func search(t *testing.T, where string, b []byte, secrets []secret, kinds map[string]int) {
	t.Helper()
	all, err := layers(b, kinds)
	if err != nil && !strings.Contains(where, "/staging/") { // an incomplete file of a killed run
		t.Errorf("%s cannot be unpacked: %v", where, err)
	}
	for _, layer := range all {
		for _, s := range secrets {
			if found := s.in(layer); found != "" {
				at := bytes.Index(layer, []byte(found))
				t.Errorf("%s is in %s as %q: …%q", s.name, where, found, layer[max(0, at-80):min(len(layer), at+len(found)+40)])
			}
		}
		if token := anyToken.Find(layer); token != nil {
			t.Errorf("an API token is in %s", where)
		}
	}
}

// searchFolder searches the names and contents of all files below dir. skip names the secrets that
// a file may contain.
func searchFolder(t *testing.T, dir string, secrets []secret, skip map[string]string, kinds map[string]int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		searched := slices.DeleteFunc(slices.Clone(secrets), func(s secret) bool { return skip[filepath.Base(path)] == s.name })
		search(t, "the name of "+path, []byte(path), searched, kinds)
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		kinds["file"]++
		search(t, path, b, searched, kinds)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The search finds a secret in every place and form in which one is planted.
func TestSearchFindsWhatIsPlanted(t *testing.T) {
	const text = `98765-Ab/c+d&e=f "<ü>42`
	s := newSecret("canary", text)
	spelled := map[string]string{
		"clear": text, "query": url.QueryEscape(text), "path": url.PathEscape(text),
		"lower escapes": escapesIn(url.QueryEscape(text), strings.ToLower),
		"hex":           hex.EncodeToString([]byte(text)), "json": jsonText(text, false), "plain json": jsonText(text, true),
		"php": strings.ReplaceAll(jsonText(text, false), "/", `\/`),
	}
	for before := range 6 {
		for after := range 4 {
			around := strings.Repeat("é", before)[before:] + text + strings.Repeat("z", after)
			name := strings.Repeat("<", before) + strings.Repeat(">", after)
			spelled["base64"+name] = base64.StdEncoding.EncodeToString([]byte(around))
			spelled["base64url"+name] = base64.URLEncoding.EncodeToString([]byte(around))
		}
	}
	for spelling, in := range spelled {
		hidden := []byte(`{"before":"` + in + `"}`)
		for packing, packed := range map[string][]byte{"bare": hidden, "zstd": packZstd(hidden), "gzip in zstd": packZstd(packGzip(hidden)), "parquet": packParquet(t, in)} {
			all, err := layers(packed, map[string]int{})
			check.Must(t, err)
			found := false
			for _, layer := range all {
				found = found || s.in(layer) != ""
			}
			if !found {
				t.Errorf("%s, %s: not found", spelling, packing)
			}
		}
	}
	if found := s.in([]byte("98765-and nothing else ****ü>42")); found != "" {
		t.Errorf("found %q where there is none", found)
	}
}

// The watcher finds a secret in the arguments and in the environment of a short-lived process.
func TestWatchSeesWhatIsPlanted(t *testing.T) {
	home := t.TempDir()
	w := watchProcesses(home)
	for _, cmd := range []*exec.Cmd{exec.Command("sh", "-c", "sleep 0.3; true", "planted-argument"), exec.Command("sh", "-c", "sleep 0.3; true")} {
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PLANTED=planted-variable", "HOME=" + home}
		check.Must(t, cmd.Run())
	}
	seen, commands := w.all()
	found := map[string]bool{}
	for _, text := range seen {
		for _, planted := range []string{"planted-argument", "planted-variable"} {
			found[planted] = found[planted] || bytes.Contains(text, []byte(planted))
		}
	}
	if len(found) != 2 || !found["planted-argument"] || !found["planted-variable"] || commands["-c"] < 2 {
		t.Errorf("seen %d processes, %v, found %v", len(seen), commands, found)
	}
}

func packZstd(b []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll(b, nil)
}

func packGzip(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func packParquet(t *testing.T, text string) []byte {
	type row struct {
		List []string `parquet:"list,list"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, parquet.Compression(&parquet.Zstd))
	_, err := w.Write([]row{{}, {List: []string{"a", text}}})
	if err == nil {
		err = w.Close()
	}
	check.Must(t, err)
	return out.Bytes()
}
