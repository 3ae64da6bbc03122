package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"mkt/internal/testing/check"
)

var must = check.Must

// TestLicences: docs/licences.md lists the linked modules, and every licence is accepted.
func TestLicences(t *testing.T) {
	if _, err := os.ReadFile("../../go.mod"); err != nil { // so that a result of another go.mod is not kept
		t.Fatal(err)
	}
	t.Chdir("../..")
	var got bytes.Buffer
	must(t, run([]string{"mkt"}, &got))
	want, err := os.ReadFile("docs/licences.md")
	must(t, err)
	if !bytes.Equal(want, got.Bytes()) || bytes.Count(want, []byte("\n")) < 30 {
		t.Error("docs/licences.md is not what is linked: make licences")
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
