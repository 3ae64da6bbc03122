// Command sbom lists the modules that are linked into mkt: as docs/licences.md, as a
// software bill of materials in CycloneDX, or with the texts of all licences. It uses the
// go command and the module cache, but not the network.
//
//	go run ./scripts/sbom licences > docs/licences.md
//	go run ./scripts/sbom texts > bin/licences.txt
//	go run ./scripts/sbom bom bin/mkt > bin/mkt.cdx.json
//
// The output is the same for the same modules.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("want licences, texts or bom FILE")
	}
	modules, err := linked("./cmd/mkt")
	if err != nil {
		return err
	}
	switch {
	case args[0] == "licences" && len(args) == 1:
		return writeLicences(out, append(modules, vendored...))
	case args[0] == "texts" && len(args) == 1:
		return writeTexts(out, append(modules, vendored...))
	case args[0] == "bom" && len(args) == 2:
		return writeBOM(out, args[1], modules)
	}
	return fmt.Errorf("want licences, texts or bom FILE")
}
