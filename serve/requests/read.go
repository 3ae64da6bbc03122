package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mkt/publish/durable"
)

// maxFiles is how many files are read at most, the newest ones: each start of a container may
// leave one.
const maxFiles = 64

// maxSearched is the same for a search in the files of all accounts.
const maxSearched = 2000

// Read returns the kept requests of an account, of all replicas, newest first. Damaged files and
// lines are left out, and damage says which; it is nil if there are none.
func Read(f durable.ReadFS, clientID string) (list []Record, damage, err error) {
	files, err := filesOf(f, func(of string) bool { return of == clientID })
	var faults []error
	for _, file := range files[:min(len(files), maxFiles)] {
		records, err := read(f, file.name, nil)
		list, faults = append(list, records...), append(faults, err)
	}
	slices.SortStableFunc(list, func(a, b Record) int { return b.At.Compare(a.At) })
	return list, errors.Join(faults...), err
}

// Found is a request with its account.
type Found struct {
	ClientID string `json:"client_id"`
	Record
}

// Find returns the requests of any account with an id, newest first. Clients may send ids of
// their own, so there may be several. Damaged files and lines are left out; [Read] says which.
func Find(f durable.ReadFS, id string) (list []Found, err error) {
	quoted, err := json.Marshal(id)
	if err != nil || id == "" {
		return nil, err
	}
	files, err := filesOf(f, func(string) bool { return true })
	for _, file := range files[:min(len(files), maxSearched)] {
		records, _ := read(f, file.name, append([]byte(`"request_id":`), quoted...))
		for _, one := range records {
			if one.ID == id {
				list = append(list, Found{file.clientID, one})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Found) int { return b.At.Compare(a.At) })
	return list, err
}

type file struct {
	name, clientID string
	changed        time.Time
}

// filesOf returns the files of some accounts, the newest first. There are none if the folder is missing.
func filesOf(f durable.ReadFS, wanted func(clientID string) bool) (list []file, err error) {
	entries, err := f.ReadDir(".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if clientID, _, ok := parseName(e.Name()); ok && wanted(clientID) {
			if info, err := e.Info(); err == nil { // else it was removed meanwhile
				list = append(list, file{e.Name(), clientID, info.ModTime()})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b file) int { return b.changed.Compare(a.changed) })
	return list, err
}

// read reads the records of a file whose line has a text; nil is any. The error says what is damaged.
func read(f durable.ReadFS, name string, having []byte) (list []Record, err error) {
	data, err := durable.ReadFile(f, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if string(first) != format {
		return nil, fmt.Errorf("%s: its first line is not %s", name, format)
	}
	_, replica, _ := parseName(name)
	damaged := 0
	for line := range bytes.Lines(rest) {
		if !bytes.Contains(line, having) {
			continue
		}
		var one Record
		if err := json.Unmarshal(line, &one); err != nil {
			damaged++
			continue
		}
		one.Replica = replica
		list = append(list, one)
	}
	if damaged > 0 {
		err = fmt.Errorf("%s: lines that are no records: %d", name, damaged)
	}
	return list, err
}
