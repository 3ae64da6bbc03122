package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"mkt/internal/terminal"
	"mkt/publish/layout"
)

// lock reports who holds a root's lock. It reads the kernel's list. Trying to lock would make a run
// that begins at the same moment skip. After a process died, only a child of it can still hold its
// lock.
func (d *doctor) lock(r *root) {
	path := filepath.Join(r.dir, layout.Lock)
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	pid, held, known := d.holderOf(info)
	if !known {
		d.ok("locks", r.at(layout.Lock), "this system does not show who holds it")
		return
	}
	if !held {
		d.ok("locks", r.at(layout.Lock), "free")
		return
	}
	state, name := d.process(pid)
	switch state {
	case "":
		d.bad(Warn, "LOCK_STUCK", "locks", r.at(layout.Lock), "fuser -v "+terminal.Quote(path), "process %d locked it and has ended: a child process, or a process in another container, still holds it", pid)
	case "T", "t":
		d.bad(Warn, "LOCK_STUCK", "locks", r.at(layout.Lock), fmt.Sprintf("kill -CONT %d", pid), "process %d (%s) holds it and is stopped", pid, name)
	default:
		d.ok("locks", r.at(layout.Lock), "held by process %d (%s), which is running", pid, name)
	}
}

// holderOf returns who holds a file's lock. known is false if the system does not show it.
func (d *doctor) holderOf(file fs.FileInfo) (pid int, held, known bool) {
	stat, ok := file.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false, false
	}
	// The kernel returns the list in parts. A lock taken or released in between can hide another.
	for range 3 {
		list, err := os.ReadFile(filepath.Join(d.Proc, "locks"))
		if err != nil {
			return 0, false, false
		}
		if pid, held = holder(string(list), stat); held {
			break
		}
	}
	return pid, held, true
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

// sameDevice reports whether a hexadecimal device is that of a file. On a layered file system
// the file and the list may have different devices, with major number 0.
func sameDevice(major, minor string, dev uint64) bool {
	ma, errMa := strconv.ParseUint(major, 16, 32)
	mi, errMi := strconv.ParseUint(minor, 16, 32)
	if errMa != nil || errMi != nil {
		return false
	}
	own := dev >> 8 & 0xfff
	return own == 0 || ma == 0 || ma == own && mi == dev&0xff|dev>>12&0xfff00
}

// process returns the state letter and the name of a process, "" if it has ended.
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
