package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// module is a module linked into the binary.
type module struct {
	Path, Version string
	Licence       string   // an SPDX expression
	Files         []string // its texts, in the module
	dir           string
}

// vendored are the parts of the binary other than Go modules. The exception of GCC's licence is for what
// its compiler links into a program: it asks for no notice.
var vendored = []module{
	{Path: "libstdc++ and libgcc (GCC)", Version: "the compiler's", Licence: gcc},
	{Path: "rapidoc (npm)", Version: "9.3.8", Licence: "MIT AND BSD-3-Clause", Files: []string{"LICENSE.txt"}, dir: "internal/console/static/rapidoc"},
}

// platform is the platform of the released binary. Other platforms link another build of
// the library of DuckDB, with the same licence.
var platform = []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1"}

// linked lists the modules of a command's packages and Go's standard library, by path. dir is a
// folder of the command's module. Modules of this repository are left out.
func linked(dir, command string) ([]module, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", command)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), platform...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, errs.String())
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	found := map[string]module{"std": {Path: "std", Version: runtime.Version(), dir: strings.TrimSpace(string(goroot))}}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if m := p.Module; m != nil && !m.Main && m.Path != "mkt" {
			found[m.Path] = module{Path: m.Path, Version: m.Version, dir: m.Dir}
		}
	}
	var list []module
	for _, m := range found {
		if err := m.read(); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// read finds a module's licence files and determines the licences.
func (m *module) read() error {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return fmt.Errorf("%s: %w (go mod download)", m.Path, err)
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		for _, begins := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS", "UNLICENSE"} {
			if strings.HasPrefix(name, begins) && !e.IsDir() {
				m.Files = append(m.Files, e.Name())
			}
		}
	}
	var all []string
	for _, f := range m.Files {
		text, err := os.ReadFile(filepath.Join(m.dir, f))
		if err != nil {
			return err
		}
		for _, l := range licencesIn(string(text)) {
			if !slices.Contains(all, l) {
				all = append(all, l)
			}
		}
	}
	slices.Sort(all)
	m.Licence = strings.Join(all, " AND ")
	if m.Licence == "" {
		return fmt.Errorf("%s: its licence is not known: read it, and add its words to scripts/licences/licence.go", m.Path)
	}
	return nil
}
