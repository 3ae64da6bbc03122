package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Difference is a difference between a file of a folder and its rebuilt form.
type Difference struct {
	File string // its name in the folder, or the path of a segment of the change log
	What string
	// SameRows: only the bytes differ, for example because of another version of the
	// Parquet library.
	SameRows bool
}

// FileDifferences compares the files in two manifests of a folder.
func FileDifferences(was, made Manifest) (all []Difference) {
	for _, file := range was.Files {
		if now := made.Only(file.Name).Files; len(now) == 1 && now[0] == file {
			continue
		}
		key := TableKey(file.Name)
		same := was.Tables[key].Digest != "" && was.Tables[key].Digest == made.Tables[key].Digest
		all = append(all, Difference{file.Name, "it is different", same})
	}
	return all
}

// TableKey returns the key of a file's table in manifests.
func TableKey(file string) string { return strings.TrimSuffix(file, ".parquet") }

// Differences compares two manifests of a folder: the files, and everything else except the
// windows of the change log and of the steps, which depend on the time of retention. header is
// the name of the manifest.
func Differences(was, made Manifest, header string) []Difference {
	all := FileDifferences(was, made)
	was.Files, made.Files, was.Changes, made.Changes, was.Steps, made.Steps = nil, nil, nil, nil, nil, nil
	a, errA := json.Marshal(was)
	b, errB := json.Marshal(made)
	if errA == nil && errB == nil && bytes.Equal(a, b) {
		return all
	}
	for name, want := range was.Tables {
		if got := made.Tables[name]; got.Rows != want.Rows {
			return append(all, Difference{File: header, What: fmt.Sprintf("it records %d rows of %s, there are %d", want.Rows, name, got.Rows)})
		}
	}
	return append(all, Difference{File: header, What: "it records other facts about what it was made from"})
}
