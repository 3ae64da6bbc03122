package transparency

import "golang.org/x/mod/sumdb/tlog"

// TilesOf returns how many full tiles of leaves a log of a size has.
func TilesOf(size int64) int64 { return size / tileWidth }

// TileFiles returns the files that are complete with the full tile n of leaves, and never change again.
func TileFiles(n int64) []string {
	files := []string{recordsPath(n)}
	for _, t := range tlog.NewTiles(tileHeight, n*tileWidth, (n+1)*tileWidth) {
		if t.W == tileWidth {
			files = append(files, filesOf(t)...)
		}
	}
	return files
}

// LastFiles returns the files of a log of a size that are not those of a full tile.
func LastFiles(size int64) []string {
	files := []string{checkpointFile, cosignedFile, witnessesFile}
	if size%tileWidth > 0 {
		files = append(files, recordsPath(size/tileWidth))
	}
	for level := 0; size > 0; level, size = level+1, size/tileWidth {
		if w := size % tileWidth; w > 0 {
			files = append(files, filesOf(tlog.Tile{H: tileHeight, L: level, N: size / tileWidth, W: int(w)})...)
		}
	}
	return files
}

// MayLack reports whether a log may lack one of these files: it has no answer of a witness yet.
func MayLack(file string) bool { return file == cosignedFile || file == witnessesFile }

// filesOf returns the files with the hashes of a tile and, at level 0, its entries.
func filesOf(t tlog.Tile) []string {
	files := []string{logDir + "/" + tilePath(t)}
	if t.L == 0 {
		files = append(files, logDir+"/"+bundlePath(t))
	}
	return files
}
