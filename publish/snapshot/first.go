package snapshot

import (
	"errors"
	"io/fs"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// oldest is the content of FIRST.
type oldest struct {
	Format  int    `json:"format"`
	Version uint64 `json:"version"`
}

// First is the number of the oldest commit record of a root. It is 1, unless the root is a copy
// of an object store with older ones: then [WriteFirst] recorded it.
func First(f durable.ReadFS) (uint64, error) {
	data, err := durable.ReadFile(f, layout.First, maxPointer)
	if errors.Is(err, fs.ErrNotExist) {
		return 1, nil
	}
	if err != nil {
		return 0, Fault(layout.First, err)
	}
	var o oldest
	if err := decode(layout.First, data, &o); err != nil {
		return 0, err
	}
	return o.Version, check(layout.First, []rule{{o.Format == Format, "format"}, {o.Version > 0, "version"}})
}

// WriteFirst records the number of the oldest commit record of a root.
func WriteFirst(f durable.FS, version uint64) error {
	data, err := EncodeFirst(version)
	if err != nil {
		return err
	}
	return durable.Overwrite(f, layout.First, data)
}

// EncodeFirst is the content of FIRST.
func EncodeFirst(version uint64) ([]byte, error) {
	return layout.EncodeHeader(oldest{Format, version})
}

// MakeFolders makes the folders needed for a publication.
func MakeFolders(f durable.FS) error {
	return durable.MkdirAllSync(f, layout.SnapshotsDir, layout.ChangesDir, layout.StepsDir, layout.CommitsDir, layout.StagingDir)
}
