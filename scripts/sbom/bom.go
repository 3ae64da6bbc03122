package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBOM writes the bill of materials of a binary: the modules in the linker's record, with
// their licences. It contains no time: the same binary makes the same bytes.
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
	settings := []cdx.Property{}
	for _, s := range info.Settings {
		settings = append(settings, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	main := cdx.Component{Type: cdx.ComponentTypeApplication, BOMRef: info.Path, Name: "mkt", Version: versionOf(data, info),
		Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}, Properties: &settings}
	components := []cdx.Component{{Type: cdx.ComponentTypeLibrary, BOMRef: "pkg:golang/std@" + info.GoVersion, Name: "std", Version: info.GoVersion,
		Licenses: licenceOf(modules, "std"), PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		purl := "pkg:golang/" + d.Path + "@" + d.Version
		licences := licenceOf(modules, d.Path)
		if licences == nil {
			return fmt.Errorf("%s contains %s, which ./cmd/mkt does not link now: run \"make build\", then \"make sbom\"", file, d.Path)
		}
		components = append(components, cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: purl, Name: d.Path, Version: d.Version, Licenses: licences,
			PackageURL: purl, Properties: &[]cdx.Property{{Name: "go:sum", Value: d.Sum}}})
	}
	components = append(components, engine(info)...)
	refs := []string{}
	for _, c := range components {
		refs = append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.SerialNumber, bom.Metadata, bom.Components = serial(sum), &cdx.Metadata{Component: &main}, &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cdx.SpecVersion1_6)
}

// engine returns DuckDB, which is in its module as a built library: v0.10505.0 of the module is
// 1.5.5 of the engine.
func engine(info *buildinfo.BuildInfo) []cdx.Component {
	for _, d := range info.Deps {
		var n int
		if _, err := fmt.Sscanf(d.Version, "v0.%d.", &n); err == nil && strings.HasPrefix(d.Path, "github.com/duckdb/duckdb-go-bindings/lib/") {
			version := fmt.Sprintf("%d.%d.%d", n/10000, n/100%100, n%100)
			ref := "pkg:generic/duckdb@" + version
			return []cdx.Component{{Type: cdx.ComponentTypeLibrary, BOMRef: ref, Name: "duckdb", Version: version, Licenses: &cdx.Licenses{{Expression: "MIT"}},
				PackageURL: ref, Properties: &[]cdx.Property{{Name: "mkt:brought-by", Value: d.Path}}}}
		}
	}
	return nil
}

func licenceOf(modules []module, path string) *cdx.Licenses {
	i := slices.IndexFunc(modules, func(m module) bool { return m.Path == path })
	if i < 0 {
		return nil
	}
	return &cdx.Licenses{{Expression: modules[i].Licence}}
}

// versionOf returns the version with which the binary was built.
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

// serial returns a UUID derived from the binary's hash, version 8 of RFC 9562.
func serial(sum [32]byte) string {
	id := slices.Clone(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	h := hex.EncodeToString(id)
	return fmt.Sprintf("urn:uuid:%s-%s-%s-%s-%s", h[:8], h[8:12], h[12:16], h[16:20], h[20:])
}
