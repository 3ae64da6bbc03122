package accounts

import (
	"errors"
	"io"
	"path"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// ErrDeleted is the error of a run whose account was deleted since the run was decided.
var ErrDeleted = errors.New("the account was deleted meanwhile: nothing was run")

// OpenFolder creates a folder of an account, opens it and locks it, for a run that writes there. Under
// the lock it reads the tenants file once more: if the account was deleted since the run was decided, the
// error is [ErrDeleted], and no folder is left. As mkt tenant delete deletes the entry
// first, and then the folders under their locks, no data is written after that.
func (l *Latest) OpenFolder(file string, data *durable.Disk, id, dir string) (root *durable.Disk, lock io.Closer, err error) {
	if root, err = data.MakeWithin(dir); err != nil {
		return nil, nil, err
	}
	if lock, err = root.Lock(layout.Lock); err == nil {
		// A file that cannot be read says nothing: the last good one stays in force.
		if gone, e := l.Lacks(file, id); e != nil || !gone {
			return root, lock, nil
		}
		err = ErrDeleted
		removeEmpty(data, dir)
		lock.Close()
	}
	root.Close()
	return nil, nil, err
}

// removeEmpty removes a folder that has nothing but its lock, and the empty folders above it.
func removeEmpty(data *durable.Disk, dir string) {
	if entries, err := data.ReadDir(dir); err != nil || len(entries) > 1 {
		return
	}
	err := data.Remove(dir + "/" + layout.Lock)
	for ; err == nil && dir != "."; dir = path.Dir(dir) {
		err = data.Remove(dir)
	}
}
