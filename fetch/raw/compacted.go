package raw

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"

	"github.com/klauspost/compress/zstd"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// window is the compression window: several ticks, which are nearly the same.
const window = 8 << 20

// compacted is one cycle of a compacted file: the content of its files by name, with the
// bodies uncompressed.
type compacted struct {
	id    layout.CycleID
	files map[string][]byte // nil if not wanted
}

// eachCompacted reads the cycles of a compacted file in order, with the content of those
// that are wanted. An error is the last.
func eachCompacted(fsys durable.ReadFS, name string, wanted func(layout.CycleID) bool) iter.Seq2[compacted, error] {
	return func(yield func(compacted, error) bool) {
		var c compacted
		err := eachFile(fsys, name, func(id layout.CycleID, file string, content io.Reader) (err error) {
			if id != c.id {
				if c.id != "" && !yield(c, nil) {
					return errStopped
				}
				c = compacted{id: id}
				if wanted(id) {
					c.files = map[string][]byte{}
				}
			}
			if c.files != nil {
				c.files[file], err = io.ReadAll(io.LimitReader(content, MaxBody+1))
			}
			return err
		})
		switch {
		case errors.Is(err, errStopped):
		case err != nil:
			yield(compacted{}, err)
		case c.id != "":
			yield(c, nil)
		}
	}
}

// errStopped ends the reading of a file early.
var errStopped = errors.New("stopped")

func anyCycle(layout.CycleID) bool { return true }

// readCompacted reads one cycle from its compacted file; nil if it is in none.
func readCompacted(fsys durable.ReadFS, id layout.CycleID) (*compacted, error) {
	for c, err := range eachCompacted(fsys, layout.RawPack(id), func(of layout.CycleID) bool { return of == id }) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		case c.id == id:
			return &c, nil
		case c.id > id:
			return nil, nil
		}
	}
	return nil, nil
}

// compactedCycles lists the cycles of a compacted file, which it reads to the end to
// verify its checksum.
func compactedCycles(fsys durable.ReadFS, name string) (ids []layout.CycleID, err error) {
	for c, err := range eachCompacted(fsys, name, func(layout.CycleID) bool { return false }) {
		if err != nil {
			return ids, err
		}
		ids = append(ids, c.id)
	}
	return ids, nil
}

// eachFile calls do for every file in a compacted file, in order of cycles.
func eachFile(fsys durable.ReadFS, name string, do func(id layout.CycleID, file string, content io.Reader) error) error {
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
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
			return fmt.Errorf("%w: %s: %w", ErrCorrupt, name, err)
		}
		dir, base, _ := strings.Cut(header.Name, "/")
		id, ok := layout.ParseCycleDir(dir)
		if !ok {
			return fmt.Errorf("%w: %s: unexpected file %q", ErrCorrupt, name, header.Name)
		}
		if err := do(id, base, content{in}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// content is that of one file in a compacted file. A read error means damage.
type content struct{ io.Reader }

func (c content) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return n, err
}
