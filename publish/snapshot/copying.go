package snapshot

import (
	"errors"
	"io/fs"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// copyPrefix begins the names of staged records of publications that are being copied.
const copyPrefix = "copy-"

func copyRecord(c Commit) string {
	return layout.StagingDir + "/" + copyPrefix + c.SHA256[:16] + ".json"
}

// BeginCopy stages the record of a publication before its files are copied into a root. If the copy is
// interrupted, [Copies] returns the publication that these files belong to. A staged record of this name
// that differs is damaged, and is replaced.
func BeginCopy(f durable.FS, c Commit, record []byte) error {
	return durable.Overwrite(f, copyRecord(c), record)
}

// EndCopy deletes the staged records, after the publication has got its own. Those of earlier copies that
// were interrupted are of older publications than it.
func EndCopy(f durable.FS) error {
	names, err := copyRecords(f)
	for _, name := range names {
		err = errors.Join(err, f.Remove(name))
	}
	return err
}

// Copies returns the publications whose copy into a root is under way or was interrupted.
func Copies(f durable.ReadFS) (list []Commit, err error) {
	names, err := copyRecords(f)
	for _, name := range names {
		data, err := durable.ReadFile(f, name, maxCommit)
		if err != nil {
			continue // the copy ended meanwhile
		}
		if c, err := ParseCommit(data); err == nil {
			list = append(list, c)
		}
	}
	return list, err
}

func copyRecords(f durable.ReadFS) (names []string, err error) {
	entries, err := f.ReadDir(layout.StagingDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !e.IsDir() && strings.HasPrefix(e.Name(), copyPrefix) {
			names = append(names, layout.StagingDir+"/"+e.Name())
		}
	}
	return names, err
}
