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
// interrupted, [Copies] tells which publication these files belong to.
func BeginCopy(f durable.FS, c Commit, record []byte) error {
	return durable.CreateAgain(f, copyRecord(c), durable.Bytes(record))
}

// EndCopy deletes the record that [BeginCopy] staged, after the publication has got its own.
func EndCopy(f durable.FS, c Commit) error {
	err := f.Remove(copyRecord(c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Copies returns the publications whose copy into a root is under way or was interrupted.
func Copies(f durable.ReadFS) (list []Commit, err error) {
	entries, err := f.ReadDir(layout.StagingDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasPrefix(e.Name(), copyPrefix) {
			continue
		}
		data, err := durable.ReadFile(f, layout.StagingDir+"/"+e.Name(), maxCommit)
		if err != nil {
			continue // the copy ended meanwhile
		}
		if c, err := ParseCommit(data); err == nil {
			list = append(list, c)
		}
	}
	return list, err
}
