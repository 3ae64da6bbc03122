package store

import (
	"fmt"
	"mkt/publish/layout"
	"path"
	"strings"
)

func commitName(n uint64) string { return layout.Commit(n) }

// segmentName is the name in the store of a segment of the change log or of the steps. Like a
// pack's name it has the beginning of the hash: two workers that began in the same second make
// segments of one name, and only one of them commits its own.
func segmentName(name, sum string) string {
	return fmt.Sprintf("%s-%.16s%s", strings.TrimSuffix(name, path.Ext(name)), sum, path.Ext(name))
}

// parseSegment returns the base name of a segment in a data root.
func parseSegment(base string) (string, bool) {
	name, ok := strings.CutSuffix(base, ".parquet")
	at := strings.LastIndexByte(name, '-')
	if !ok || at < 0 || len(name)-at != 17 {
		return "", false
	}
	base = name[:at] + ".parquet"
	_, _, ok = layout.ParseSegment(base)
	return base, ok
}
