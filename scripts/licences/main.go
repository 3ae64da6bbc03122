// Command licences lists the modules linked into mkt with their licences, as docs/licences.md, or with the
// texts of all licences. It uses the go command and the module cache, but not the network.
//
//	go run ./scripts/licences mkt > docs/licences.md
//	go run ./scripts/licences texts > bin/licences.txt
//	go run ./scripts/licences lake > lake/licences.md
//	go run ./scripts/licences lake-texts > bin/lake-licences.txt
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
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("want mkt, texts, lake or lake-texts")
	}
	dir, command, head, more := ".", "./cmd/mkt", ofMkt, vendored
	if strings.HasPrefix(args[0], "lake") {
		dir, command, head, more = "lake", "./cmd/mkt-lake", ofLake, nil
	}
	modules, err := linked(dir, command)
	if err != nil {
		return err
	}
	modules = append(modules, more...)
	for _, m := range modules {
		for _, l := range strings.Split(m.Licence, " AND ") {
			if !accepted[l] {
				return fmt.Errorf("%s is under %s: may it be linked?", m.Path, l)
			}
		}
	}
	switch args[0] {
	case "mkt", "lake":
		return writeLicences(out, head, modules)
	case "texts", "lake-texts":
		return writeTexts(out, modules)
	}
	return fmt.Errorf("want mkt, texts, lake or lake-texts")
}
