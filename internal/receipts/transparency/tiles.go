package transparency

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish/durable"
)

const logDir = "log"

// ErrDamaged: a file of the log is not as it was written.
var ErrDamaged = errors.New("damaged file of the transparency log")

// tileHeight is the height of a tile: 256 hashes.
const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
)

// entryBytes is the length of an entry, and bundledBytes that of an entry in a bundle, with its length.
const (
	entryBytes   = 32
	bundledBytes = 2 + entryBytes
)

// tilePath is the name of a tile below the log. Source: c2sp.org/tlog-tiles.
func tilePath(t tlog.Tile) string {
	// The package's paths have the height, which tlog-tiles leaves out.
	return "tile/" + strings.TrimPrefix(t.Path(), fmt.Sprintf("tile/%d/", t.H))
}

// bundlePath is the name of the bundle with the entries of a tile of level 0.
func bundlePath(t tlog.Tile) string {
	return "tile/entries/" + strings.TrimPrefix(tilePath(t), "tile/0/")
}

// bundle encodes entries as a bundle.
func bundle(entries [][]byte) []byte {
	var b []byte
	for _, e := range entries {
		b = binary.BigEndian.AppendUint16(b, uint16(len(e)))
		b = append(b, e...)
	}
	return b
}

// splitBundle decodes a bundle of entries of this package.
func splitBundle(data []byte) (entries [][]byte, err error) {
	if len(data)%bundledBytes != 0 {
		return nil, fmt.Errorf("%w: %d bytes", ErrDamaged, len(data))
	}
	for ; len(data) > 0; data = data[bundledBytes:] {
		if binary.BigEndian.Uint16(data) != entryBytes {
			return nil, fmt.Errorf("%w: an entry of another length", ErrDamaged)
		}
		entries = append(entries, data[2:bundledBytes])
	}
	return entries, nil
}

// tiles reads the tiles of a log for [tlog.TileHashReader], which verifies them.
type tiles struct{ root durable.ReadFS }

func (tiles) Height() int { return tileHeight }

// ReadTiles reads a tile, or the full one that has replaced a partial one.
func (t tiles) ReadTiles(list []tlog.Tile) ([][]byte, error) {
	all := make([][]byte, len(list))
	for i, tile := range list {
		data, err := t.read(tile)
		if err != nil {
			return nil, err
		}
		all[i] = data
	}
	return all, nil
}

func (t tiles) read(tile tlog.Tile) ([]byte, error) {
	return readFullOr(t.root, tilePath(tile), tile, tlog.HashSize)
}

// readFullOr reads the file of a tile whose elements have each bytes. If the tile is partial and its
// file is gone, it reads the beginning of the full tile's file.
func readFullOr(root durable.ReadFS, name string, tile tlog.Tile, each int) ([]byte, error) {
	data, err := durable.ReadFile(root, logDir+"/"+name, tileWidth*bundledBytes)
	if errors.Is(err, fs.ErrNotExist) && tile.W < tileWidth {
		data, err = durable.ReadFile(root, logDir+"/"+path.Dir(strings.TrimSuffix(name, fmt.Sprintf(".p/%d", tile.W))+"/x"), tileWidth*bundledBytes)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: it is missing", name, ErrDamaged)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) < tile.W*each {
		return nil, fmt.Errorf("%s: %w: %d bytes", name, ErrDamaged, len(data))
	}
	return data[:tile.W*each], nil
}

// Tiles are not verified twice in one run, so that there is nothing to save.
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// grown reads the hashes of a tree and those that were added to it.
type grown struct {
	before tlog.HashReader
	added  map[int64]tlog.Hash // by stored index
}

func (g grown) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	all := make([]tlog.Hash, len(indexes))
	var older []int64
	var places []int
	for i, at := range indexes {
		h, is := g.added[at]
		if !is {
			older, places = append(older, at), append(places, i)
			continue
		}
		all[i] = h
	}
	if len(older) == 0 {
		return all, nil
	}
	hashes, err := g.before.ReadHashes(older)
	for i := range hashes {
		all[places[i]] = hashes[i]
	}
	return all, err
}

// put makes a file have some bytes. One with other bytes is of an interrupted run and is replaced.
func put(f durable.FS, name string, data []byte) error {
	if err := durable.MkdirAllSync(f, path.Dir(name)); err != nil {
		return err
	}
	there, err := durable.ReadFile(f, name, int64(len(data)))
	if err == nil && bytes.Equal(there, data) {
		return f.SyncDir(path.Dir(name))
	}
	if err := durable.RemoveTempsOf(f, name); err != nil {
		return err
	}
	return durable.Overwrite(f, name, data)
}
