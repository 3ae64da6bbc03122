package durable

import (
	"io/fs"
	"syscall"
)

// Links recognizes files with several names (hard links), so that each file is counted once. The
// zero value is ready for use.
type Links struct {
	times map[[2]uint64]uint64 // by device and inode
}

// Seen returns the number of times a file was seen, including this one, and the number of its
// names.
func (l *Links) Seen(info fs.FileInfo) (times, names uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Nlink <= 1 || !info.Mode().IsRegular() {
		return 1, 1
	}
	if l.times == nil {
		l.times = map[[2]uint64]uint64{}
	}
	file := [2]uint64{uint64(stat.Dev), uint64(stat.Ino)}
	l.times[file]++
	return l.times[file], uint64(stat.Nlink)
}
