package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Recording is one recorded answer.
type Recording struct {
	Endpoint string // the name of its folder with "/" in place of the first dash
	File     string // its base name
	Body     []byte
}

// ReadRecordings calls load for every recorded answer below a folder: one folder for each
// endpoint, named as its path with dashes ("bet365-upcoming"), which contains whole
// answers in .json files. Those of the list of fixtures come first, so that a dialect
// knows what is listed; the others are in the order of their names. An error names the
// file that cannot be read.
func ReadRecordings(dir, listing string, load func(Recording) error) error {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("replay %s: no payloads: want folders like %s with .json files", dir, strings.Replace(listing, "/", "-", 1))
	}
	for _, first := range []bool{true, false} {
		for _, file := range files {
			endpoint := strings.Replace(filepath.Base(filepath.Dir(file)), "-", "/", 1)
			if (endpoint == listing) != first {
				continue
			}
			body, err := os.ReadFile(file)
			if err == nil && !json.Valid(body) {
				err = errors.New("is not JSON")
			}
			if err == nil {
				err = load(Recording{endpoint, filepath.Base(file), body})
			}
			if err != nil {
				return fmt.Errorf("replay %s: %w", file, err)
			}
		}
	}
	return nil
}
