package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"mkt/internal/accounts/audit"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

func (d *doctor) files() {
	relied := []string{d.Tenants, filepath.Dir(d.Tenants), d.Data}
	if d.Config != "" {
		relied = append(relied, d.Config, filepath.Dir(d.Config))
	}
	if !d.Keyless {
		relied = append(relied, filepath.Dir(d.SealKey), filepath.Dir(d.IDKey))
	}
	var seen []string
	for _, path := range relied {
		if path, err := filepath.Abs(path); err == nil && !slices.Contains(seen, path) {
			seen = append(seen, path)
			d.worldWritable(path)
		}
	}
	d.audit()
	d.edits()
	d.dataRoot()
}

// worldWritable checks who may write a file or folder: not every user. In a sticky folder, such
// as /tmp, only the owners of files may replace them.
func (d *doctor) worldWritable(path string) {
	info, err := os.Stat(path)
	if err != nil {
		return // a missing file is another finding
	}
	sticky := info.IsDir() && info.Mode()&os.ModeSticky != 0
	if info.Mode().Perm()&0o002 != 0 && !sticky {
		d.bad(Fail, "FILE_WRITABLE", "files", place{file: path}, "chmod o-w "+terminal.Quote(path), "mode %04o: every user may write it", info.Mode().Perm())
		return
	}
	d.ok("files", place{file: path}, "mode %04o", info.Mode().Perm())
}

// audit checks the audit log, which may not exist yet.
func (d *doctor) audit() {
	real, err := filepath.EvalSymlinks(d.Tenants)
	if err != nil {
		return
	}
	path := filepath.Join(filepath.Dir(real), audit.FileName)
	info, err := os.Stat(path)
	at := place{file: path}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		d.unreadable("files", at, err)
	case !info.Mode().IsRegular():
		d.bad(Fail, "AUDIT_BROKEN", "files", at, "mv "+terminal.Quote(path)+" "+terminal.Quote(path+".away"), "it is not a regular file, and without the log no account can be changed")
	case info.Mode().Perm()&0o077 != 0:
		d.bad(Warn, "AUDIT_MODE", "files", at, "chmod 600 "+terminal.Quote(path), "mode %04o: other users may read it", info.Mode().Perm())
	default:
		d.ok("files", at, "audit log, mode %04o", info.Mode().Perm())
	}
	if !sameOwner(path, real) {
		d.bad(Fail, "OWNER_DIFFERS", "files", at, "sudo chown --reference="+terminal.Quote(real)+" "+terminal.Quote(path), "it does not belong to the owner of %s, who cannot change accounts for this reason", real)
	}
}

// editTime is how long an edit takes at most, including its wait for others.
const editTime = time.Minute

// edits looks for temporary files left beside the tenants file by killed edits.
func (d *doctor) edits() {
	real, err := filepath.EvalSymlinks(d.Tenants)
	if err != nil {
		return
	}
	entries, _ := os.ReadDir(filepath.Dir(real)) // a missing folder is another finding
	for _, e := range entries {
		of, is := durable.TempOf(e.Name())
		info, err := e.Info()
		if !is || of != filepath.Base(real) || err != nil || d.now.Sub(info.ModTime()) < editTime {
			continue
		}
		path := filepath.Join(filepath.Dir(real), e.Name())
		d.bad(Warn, "EDIT_DEBRIS", "files", place{file: path}, "rm "+terminal.Quote(path), "an edit of the accounts was interrupted and is not in force; the next edit removes this file")
	}
}

// writeAndEnter is W_OK and X_OK of access(2).
const writeAndEnter = 2 | 1

// dataRoot checks the folder of the data root. The first cycle creates it.
func (d *doctor) dataRoot() {
	at := place{file: d.Data}
	info, err := os.Stat(d.Data)
	dir := d.Data
	switch {
	case errors.Is(err, fs.ErrNotExist):
		dir = filepath.Dir(d.Data)
	case err != nil:
		d.unreadable("files", at, err)
		return
	case !info.IsDir():
		d.bad(Fail, "DATA_NOT_FOLDER", "files", at, "point --data (data in mkt.yaml) to a folder", "the data root is not a folder")
		return
	}
	if err == nil && info.Mode().Perm()&0o007 == 0o005 { // listing it needs both
		d.bad(Warn, "DATA_READABLE", "files", at, "chmod o-rwx "+terminal.Quote(d.Data), "mode %04o: every user of this machine may read what was published for all accounts, and the providers' answers", info.Mode().Perm())
	}
	if d.Keyless {
		return
	}
	if err := syscall.Access(dir, writeAndEnter); err != nil {
		d.bad(Fail, "DATA_NOT_WRITABLE", "files", at, "run doctor and the cycles as the owner of "+terminal.Quote(dir)+", on a disk that is mounted for writing", "%s cannot be written: %v", dir, err)
		return
	}
	d.ok("files", at, "can be written")
}

// owners looks for files left by a run of another user. The owner's next run could not
// write them.
func (d *doctor) owners(r *root) {
	if r.fs == nil {
		return
	}
	tenant := filepath.Dir(r.dir) // also has the tests of the connection, which belong to no product
	names := []string{r.dir, tenant, filepath.Join(tenant, layout.Lock)}
	for _, dir := range []string{r.dir, filepath.Join(r.dir, layout.StateDir), filepath.Join(tenant, layout.StateDir)} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.unreadable("files", place{r.id, string(r.product), dir}, err)
		}
		for _, e := range entries {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	if r.head != nil { // the served files
		published, err := filepath.Glob(filepath.Join(globEscape(filepath.Join(r.dir, filepath.FromSlash(r.head.Dir()))), "*"))
		if err == nil {
			names = append(names, published...)
		}
		names = append(names, filepath.Join(r.dir, filepath.FromSlash(r.head.Dir())), filepath.Join(r.dir, filepath.FromSlash(layout.Commit(r.head.Version))))
	}
	var others []string
	for _, path := range names {
		if !sameOwner(path, d.Data) {
			others = append(others, path)
		}
	}
	if len(others) == 0 {
		d.ok("files", r.at(""), "all belong to the owner of the data root")
		return
	}
	d.bad(Fail, "OWNER_DIFFERS", "files", r.at(""), "sudo chown -R --reference="+terminal.Quote(d.Data)+" "+terminal.Quote(tenant),
		"%s not owned by the owner of the data root, such as %s: another user has run mkt", terminal.Plural(len(others), "file"), others[0]).
		causedBy("owner", "sudo chown -R --reference="+terminal.Quote(d.Data)+" "+terminal.Quote(d.Data))
}

// sameOwner reports whether two files have the same owner. It is true if an owner is unknown.
func sameOwner(path, as string) bool {
	owner, ok := ownerOf(path)
	want, known := ownerOf(as)
	return !ok || !known || owner == want
}

func ownerOf(path string) (uint32, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, true
}
