package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// known are licences by words that only they have. An expression of several is
// "all of them": some modules hold files under others.
var known = []struct{ id, words string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"Apache-2.0", "Licensed under the Apache License, Version 2.0"},
	{"BSD-3-Clause", "Neither the name of"},
	{"BSD-3-Clause", "Neither the names of"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
	{"ISC", "Permission to use, copy, modify, and distribute this software"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License, version 2.0"},
	{"GPL", "GNU GENERAL PUBLIC LICENSE"},
	{"AGPL", "GNU AFFERO GENERAL PUBLIC LICENSE"},
	{"LGPL", "GNU LESSER GENERAL PUBLIC LICENSE"},
}

// accepted are those that ask for no more than being named, or (MPL) for the
// source of what is changed in it: nothing is.
var accepted = map[string]bool{"Apache-2.0": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "ISC": true, "MIT": true, "MPL-2.0": true}

// licencesIn are the licences that a text holds.
func licencesIn(text string) (ids []string) {
	flat := strings.Join(strings.Fields(text), " ")
	for _, k := range known {
		if strings.Contains(strings.ToLower(flat), strings.ToLower(k.words)) {
			ids = append(ids, k.id)
		}
	}
	if strings.Contains(flat, "Redistribution and use in source and binary forms") && !strings.Contains(strings.Join(ids, " "), "BSD") {
		ids = append(ids, "BSD-2-Clause")
	}
	return ids
}

// writeLicences is docs/licences.md.
func writeLicences(out io.Writer, modules []module) error {
	fmt.Fprint(out, `# Licences of what is linked

Written by `+"`make licences`"+` from the modules that are linked into the binary for linux/amd64; a test holds it against go.mod.
The texts go beside the binary: `+"`make sbom`"+` writes `+"`bin/licences.txt`"+`. DuckDB, which its module brings as a built library, is MIT.

| module | version | licence |
|---|---|---|
`)
	for _, m := range modules {
		version := m.Version
		if m.Path == "std" {
			version = "the toolchain's"
		}
		if _, err := fmt.Fprintf(out, "| %s | %s | %s |\n", m.Path, version, m.Licence); err != nil {
			return err
		}
	}
	return nil
}

// writeTexts is every licence as it came.
func writeTexts(out io.Writer, modules []module) error {
	for _, m := range modules {
		fmt.Fprintf(out, "%s\n%s %s: %s\n\n", strings.Repeat("=", 80), m.Path, m.Version, m.Licence)
		for _, f := range m.Files {
			text, err := os.ReadFile(filepath.Join(m.dir, f))
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "-- %s --\n%s\n", f, text)
		}
	}
	return nil
}
