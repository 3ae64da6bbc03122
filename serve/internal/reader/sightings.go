package reader

import (
	"errors"
	"io/fs"

	"mkt/publish/durable"
)

// sightings are descriptions of small files at the last look, by name; nil if a file was
// missing. A dataset is looked at twice a second and rarely changes: a description costs
// a fraction of reading a file.
type sightings map[string]fs.FileInfo

// look describes files again, and reports whether every one of them was looked at before
// and is the same. It must be called before the files are read.
func (s sightings) look(f durable.ReadFS, names ...string) (same bool) {
	same = true
	for _, name := range names {
		now, err := f.Stat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			delete(s, name)
			same = false
			continue
		}
		if err != nil {
			now = nil
		}
		before, looked := s[name]
		same = same && looked && durable.SameVersion(before, now)
		s[name] = now
	}
	return same
}
