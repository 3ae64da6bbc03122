// Command sbom lists the modules linked into mkt: as docs/licences.md, as a software bill of
// materials in CycloneDX, or with the texts of all licences. It uses the go command and the
// module cache, but not the network.
//
//	go run ./scripts/sbom licences > docs/licences.md
//	go run ./scripts/sbom texts > bin/licences.txt
//	go run ./scripts/sbom bom bin/mkt > bin/mkt.cdx.json
//	go run ./scripts/sbom lake > lake/licences.md
//	go run ./scripts/sbom lake-texts > bin/lake-licences.txt
//
// The last two are about mkt-lake, whose modules are those of the module in the folder lake.
// The output is the same for the same modules.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("want licences, texts, bom FILE, lake or lake-texts")
	}
	if args[0] == "lake" || args[0] == "lake-texts" {
		return runLake(args, out)
	}
	modules, err := linked(".", "./cmd/mkt")
	if err != nil {
		return err
	}
	switch {
	case args[0] == "licences" && len(args) == 1:
		return writeLicences(out, ofMkt, append(modules, vendored...))
	case args[0] == "texts" && len(args) == 1:
		return writeTexts(out, append(modules, vendored...))
	case args[0] == "bom" && len(args) == 2:
		return writeBOM(out, args[1], modules)
	}
	return fmt.Errorf("want licences, texts, bom FILE, lake or lake-texts")
}

// runLake lists the modules in mkt-lake.
func runLake(args []string, out io.Writer) error {
	if len(args) > 1 {
		return fmt.Errorf("want lake or lake-texts, and nothing else")
	}
	modules, err := linked("lake", "./cmd/mkt-lake")
	if err != nil {
		return err
	}
	for _, m := range modules {
		for _, l := range strings.Split(m.Licence, " AND ") {
			if !accepted[l] {
				return fmt.Errorf("%s is under %s: may it be linked?", m.Path, l)
			}
		}
	}
	if args[0] == "lake-texts" {
		return writeTexts(out, modules)
	}
	return writeLicences(out, ofLake, modules)
}
