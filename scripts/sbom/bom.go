package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// CycloneDX 1.6 as far as it is needed here. No time stands in it: the same
// binary gives the same bill.
//
// Source: https://cyclonedx.org/docs/1.6/json/
type bom struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	SerialNumber string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licence  `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type (
	hash       struct{ Alg, Content string }
	licence    struct{ Expression string }
	property   struct{ Name, Value string }
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

func (h hash) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"alg": h.Alg, "content": h.Content})
}
func (l licence) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"expression": l.Expression})
}
func (p property) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"name": p.Name, "value": p.Value})
}

// writeBOM describes a binary: by what the linker wrote into it, and the licences
// of the same modules.
func writeBOM(out io.Writer, file string, modules []module) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	main := component{Type: "application", Ref: info.Path, Name: "mkt", Version: versionOf(data, info), Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}}
	for _, s := range info.Settings {
		main.Properties = append(main.Properties, property{"go:build:" + s.Key, s.Value})
	}
	b := bom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, SerialNumber: serial(sum), Metadata: metadata{main}}
	b.Components = append(b.Components, component{Type: "library", Ref: "pkg:golang/std@" + info.GoVersion, Name: "std", Version: info.GoVersion,
		Licences: licenceOf(modules, "std"), PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")})
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		purl := "pkg:golang/" + d.Path + "@" + d.Version
		licences := licenceOf(modules, d.Path)
		if licences == nil {
			return fmt.Errorf("%s is linked into %s and not into ./cmd/mkt as it is now: make build, then again", d.Path, file)
		}
		b.Components = append(b.Components, component{Type: "library", Ref: purl, Name: d.Path, Version: d.Version, Licences: licences, PURL: purl,
			Properties: []property{{"go:sum", d.Sum}}})
	}
	b.Components = append(b.Components, engine(info)...)
	refs := []string{}
	for _, c := range b.Components {
		refs = append(refs, c.Ref)
	}
	b.Dependencies = []dependency{{Ref: main.Ref, DependsOn: refs}}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(b)
}

// engine is DuckDB, which its module brings as a built library: v0.10505.0 of the
// module is 1.5.5 of the engine.
func engine(info *buildinfo.BuildInfo) []component {
	for _, d := range info.Deps {
		var n int
		if _, err := fmt.Sscanf(d.Version, "v0.%d.", &n); err == nil && strings.HasPrefix(d.Path, "github.com/duckdb/duckdb-go-bindings/lib/") {
			version := fmt.Sprintf("%d.%d.%d", n/10000, n/100%100, n%100)
			return []component{{Type: "library", Ref: "pkg:generic/duckdb@" + version, Name: "duckdb", Version: version, Licences: []licence{{"MIT"}},
				PURL: "pkg:generic/duckdb@" + version, Properties: []property{{"mkt:brought-by", d.Path}}}}
		}
	}
	return nil
}

func licenceOf(modules []module, path string) []licence {
	i := slices.IndexFunc(modules, func(m module) bool { return m.Path == path })
	if i < 0 {
		return nil
	}
	return []licence{{modules[i].Licence}}
}

// versionOf is the version that the build gave the binary.
func versionOf(data []byte, info *buildinfo.BuildInfo) string {
	for _, s := range info.Settings {
		if _, v, ok := strings.Cut(s.Value, "main.version="); s.Key == "-ldflags" && ok {
			return strings.Trim(strings.Fields(v)[0], `"'`)
		}
	}
	if v := os.Getenv("VERSION"); v != "" && strings.Contains(string(data), v) {
		return v // -trimpath leaves the flags out of the binary
	}
	return info.Main.Version
}

// serial is a UUID made of the binary's hash, version 8 of RFC 9562.
func serial(sum [32]byte) string {
	id := slices.Clone(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	h := hex.EncodeToString(id)
	return fmt.Sprintf("urn:uuid:%s-%s-%s-%s-%s", h[:8], h[8:12], h[12:16], h[16:20], h[20:])
}
