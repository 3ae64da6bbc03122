package durable

import (
	"io/fs"
	"syscall"
)

// Links tells files with several names (hard links) apart, in order to count each file once. The zero
// value is ready for use.
type Links struct {
	times map[[2]uint64]uint64 // by device and inode
}

// Seen returns how often a file was seen, this time included, and how many names it has.
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
