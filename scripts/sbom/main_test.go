package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"mkt/internal/check"
)

var must = check.Must

// TestLicences: docs/licences.md lists the linked modules, and every licence is accepted.
func TestLicences(t *testing.T) {
	if _, err := os.ReadFile("../../go.mod"); err != nil { // so that a result of another go.mod is not kept
		t.Fatal(err)
	}
	modules, err := linked("../..", "./cmd/mkt")
	must(t, err)
	if len(modules) < 20 {
		t.Errorf("only %d modules", len(modules))
	}
	modules = append(modules, vendored...)
	for _, m := range modules {
		for _, l := range strings.Split(m.Licence, " AND ") {
			if !accepted[l] {
				t.Errorf("%s is under %s: may it be linked?", m.Path, l)
			}
		}
	}
	var got bytes.Buffer
	must(t, writeLicences(&got, ofMkt, modules))
	want, err := os.ReadFile("../../docs/licences.md")
	must(t, err)
	if !bytes.Equal(want, got.Bytes()) {
		t.Error("docs/licences.md is not what is linked: make licences")
	}
}

// TestBOM: a bill names every module of a binary, and is the same twice.
func TestBOM(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	modules := []module{{Path: "std", Licence: "BSD-3-Clause"}, {Path: "github.com/CycloneDX/cyclonedx-go", Licence: "Apache-2.0"}}
	var bills [2]bytes.Buffer
	for i := range bills {
		must(t, writeBOM(&bills[i], self, modules))
	}
	if !bytes.Equal(bills[0].Bytes(), bills[1].Bytes()) {
		t.Error("two bills of one binary differ")
	}
	var b struct {
		BomFormat, SpecVersion, SerialNumber string
		Metadata                             struct {
			Component struct {
				Hashes []struct{ Alg, Content string }
			}
		}
		Components []struct {
			Name, PURL string
			Licenses   []struct{ Expression string }
		}
	}
	must(t, json.Unmarshal(bills[0].Bytes(), &b))
	if b.BomFormat != "CycloneDX" || b.SpecVersion != "1.6" || !strings.HasPrefix(b.SerialNumber, "urn:uuid:") || len(b.Metadata.Component.Hashes) != 1 ||
		len(b.Components) == 0 || b.Components[0].Name != "std" || len(b.Components[0].Licenses) != 1 {
		t.Errorf("%s", bills[0].String())
	}
}

// The engine's version is that of its library, however it is spelled.
func TestEngine(t *testing.T) {
	for version, want := range map[string]string{"v0.10505.0": "1.5.5", "v0.20110.3": "2.1.10"} {
		info := &buildinfo.BuildInfo{Deps: []*debug.Module{{Path: "github.com/duckdb/duckdb-go-bindings", Version: version},
			{Path: "github.com/duckdb/duckdb-go-bindings/lib/linux-amd64", Version: version}}}
		if got := engine(info); len(got) != 1 || got[0].Version != want || got[0].BOMRef != "pkg:generic/duckdb@"+want {
			t.Errorf("%s: %+v, want %s", version, got, want)
		}
	}
	if got := engine(&buildinfo.BuildInfo{}); got != nil {
		t.Errorf("without a library: %+v", got)
	}
}

func TestLicencesIn(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted, free\n of charge, to any person":                 "MIT",
		"Apache License\n  Version 2.0, January 2004":                                   "Apache-2.0",
		"Redistribution and use in source and binary forms, with":                       "BSD-2-Clause",
		"Redistribution and use in source and binary forms\nNeither the name of Google": "BSD-3-Clause",
		"Mozilla Public License, version 2.0\n1.12. \"Secondary License\"\nmeans either the GNU General Public License, Version 2.0, the GNU\nLesser General Public License, Version 2.1, the GNU Affero General\nPublic License, Version 3.0, or any later versions of those licenses.": "MPL-2.0",
		"GNU GENERAL PUBLIC LICENSE": "GPL",
		"all rights reserved":        "",
	} {
		if got := strings.Join(licencesIn(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
