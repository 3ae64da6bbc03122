package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"mkt/publish/layout"
)

// lock tells who holds a root's lock. It reads the kernel's list: trying the lock
// would make a run that begins just then pass by. A process that dies lets go of
// its locks, so that only a child of it can still hold one.
func (d *doctor) lock(r *root) {
	path := filepath.Join(r.dir, layout.Lock)
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	list, err := os.ReadFile(filepath.Join(d.Proc, "locks"))
	if !ok || err != nil {
		d.ok("locks", r.at(layout.Lock), "who holds it cannot be told on this system")
		return
	}
	pid, held := holder(string(list), stat)
	if !held {
		d.ok("locks", r.at(layout.Lock), "free")
		return
	}
	state, name := d.process(pid)
	switch state {
	case "":
		d.bad(Warn, "LOCK_STUCK", "locks", r.at(layout.Lock), "fuser -v "+quote(path), "process %d took it and is gone: a child of it, or one in another container, holds it still", pid)
	case "T", "t":
		d.bad(Warn, "LOCK_STUCK", "locks", r.at(layout.Lock), fmt.Sprintf("kill -CONT %d", pid), "process %d (%s) holds it and is stopped", pid, name)
	default:
		d.ok("locks", r.at(layout.Lock), "held by process %d (%s), which runs", pid, name)
	}
}

// holder finds a file in the kernel's list of locks, whose lines are of the form
// "1: FLOCK  ADVISORY  WRITE 4711 fe:00:12345 0 EOF".
func holder(list string, file *syscall.Stat_t) (pid int, held bool) {
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" {
			continue
		}
		id := strings.Split(f[5], ":")
		inode, err := strconv.ParseUint(id[len(id)-1], 10, 64)
		if err != nil || inode != file.Ino || len(id) != 3 || !sameDevice(id[0], id[1], uint64(file.Dev)) {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		return pid, err == nil
	}
	return 0, false
}

// sameDevice compares the device in hexadecimal with that of a file. File
// systems of several layers give a file another device than the list does; a
// major of 0 is theirs.
func sameDevice(major, minor string, dev uint64) bool {
	ma, errMa := strconv.ParseUint(major, 16, 32)
	mi, errMi := strconv.ParseUint(minor, 16, 32)
	if errMa != nil || errMi != nil {
		return false
	}
	own := dev >> 8 & 0xfff
	return own == 0 || ma == 0 || ma == own && mi == dev&0xff|dev>>12&0xfff00
}

// process gives the state letter and the name of a process, "" when it is gone.
func (d *doctor) process(pid int) (state, name string) {
	stat, err := os.ReadFile(filepath.Join(d.Proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", ""
	}
	open, end := strings.IndexByte(string(stat), '('), strings.LastIndexByte(string(stat), ')')
	if open < 0 || end < open {
		return "?", "?"
	}
	rest := strings.Fields(string(stat[end+1:]))
	if len(rest) == 0 {
		return "?", string(stat[open+1 : end])
	}
	return rest[0], string(stat[open+1 : end])
}
