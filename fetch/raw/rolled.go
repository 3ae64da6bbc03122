package raw

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/zstd"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// rollWindow is how far back what is being compressed is compared: several
// ticks, which hold nearly the same.
const rollWindow = 8 << 20

// rolledCycle is one cycle out of a pack: the content of its files, by
// name, bodies uncompressed.
type rolledCycle struct{ files map[string][]byte }

// plainName is the name of a body where it is not compressed by itself.
func plainName(r Response) string { return strings.TrimSuffix(r.File, ".zst") }

// errPassed ends the reading of a pack behind the cycle that is looked for.
var errPassed = errors.New("passed")

// readRolled reads one cycle out of its pack; nil when it is in none.
func readRolled(fsys durable.ReadFS, id layout.CycleID) (*rolledCycle, error) {
	c := rolledCycle{files: map[string][]byte{}}
	err := eachRolled(fsys, layout.RawPack(id), func(of layout.CycleID, name string, content io.Reader) (err error) {
		switch {
		case of > id:
			return errPassed
		case of == id:
			c.files[name], err = io.ReadAll(io.LimitReader(content, MaxBody+1))
		}
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil && !errors.Is(err, errPassed):
		return nil, err
	case len(c.files) == 0:
		return nil, nil
	}
	return &c, nil
}

// eachRolled gives every file of a pack to do, in order of cycles.
func eachRolled(fsys durable.ReadFS, pack string, do func(layout.CycleID, string, io.Reader) error) error {
	file, err := fsys.Open(pack)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(rollWindow))
	if err != nil {
		return err
	}
	defer plain.Close()
	in := tar.NewReader(plain)
	for {
		header, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrCorrupt, pack, err)
		}
		dir, name, _ := strings.Cut(header.Name, "/")
		id, ok := layout.ParseCycleDir(dir)
		if !ok {
			return fmt.Errorf("%w: %s: holds %q", ErrCorrupt, pack, header.Name)
		}
		if err := do(id, name, packed{in}); err != nil {
			return fmt.Errorf("%s: %w", pack, err)
		}
	}
}

// packed is the content of one file of a pack. What cannot be unpacked is damaged.
type packed struct{ io.Reader }

func (p packed) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return n, err
}
