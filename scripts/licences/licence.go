package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// known contains licences with words of their texts. A module with several licences has files
// under each of them, and all apply.
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

// gcc is the licence of the C++ runtime.
const gcc = "GPL-3.0-or-later WITH GCC-exception-3.1"

// accepted contains the licences that require nothing (gcc), only a notice, or (MPL) the source of changed
// files. There are no changed files.
var accepted = map[string]bool{gcc: true, "Apache-2.0": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "ISC": true, "MIT": true, "MPL-2.0": true}

// secondary is the definition in the text of the MPL with the names of other licences.
const secondary = "means either the GNU General Public License, Version 2.0, the GNU Lesser General Public License, Version 2.1, " +
	"the GNU Affero General Public License, Version 3.0, or any later versions of those licenses."

// licencesIn returns the licences in a text.
func licencesIn(text string) (ids []string) {
	flat := strings.ReplaceAll(strings.Join(strings.Fields(text), " "), secondary, "")
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

// The beginnings of the lists of licences.
const (
	ofMkt = `# Licences of what is linked

Written by ` + "`make licences`" + ` from the modules that are linked into the binary for linux/amd64; a test compares it with go.mod.
The texts are shipped with the binary: ` + "`make release`" + ` writes ` + "`licences.txt`" + `. DuckDB, which its module contains as a built library, is MIT.
` + "`mkt-lake`" + `, a binary of its own, has [its own list](../lake/licences.md).
`
	ofLake = `# Licences of what is linked into mkt-lake

Written by ` + "`make lake-licences`" + ` from the modules that are linked into mkt-lake for linux/amd64; ` + "`make check-lake`" + ` compares it.
The same command writes the texts, which must be shipped with the binary: ` + "`bin/lake-licences.txt`" + `.
`
)

// writeLicences writes a list of licences.
func writeLicences(out io.Writer, head string, modules []module) error {
	fmt.Fprint(out, head+`
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

// writeTexts writes the unchanged text of every licence.
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
