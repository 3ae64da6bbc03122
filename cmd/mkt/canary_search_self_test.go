package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// The search finds a secret in every place and form in which one is planted.
func TestSearchFindsWhatIsPlanted(t *testing.T) {
	const text = `98765-Ab/c+d&e=f "<ü>42`
	s := newSecret("canary", text)
	spelled := map[string]string{
		"clear": text, "query": url.QueryEscape(text), "path": url.PathEscape(text),
		"lower escapes": escapesIn(url.QueryEscape(text), strings.ToLower),
		"every byte":    everyByteEscaped(text), "hex": hex.EncodeToString([]byte(text)), "json": jsonText(text, false), "plain json": jsonText(text, true),
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
			if err != nil {
				t.Fatal(err)
			}
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
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
