package reader

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"mkt/publish/layout"
)

// notices are the operating system's notices of publications: without them, a publication is
// found by the next poll. They are hints, and nothing depends on them. The nil value has none.
type notices struct {
	watcher *fsnotify.Watcher

	mu     sync.Mutex
	folder map[string]*Dataset
}

// newNotices returns nil if the operating system refuses, or cannot do it.
func newNotices() *notices {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	return &notices{watcher: w, folder: map[string]*Dataset{}}
}

// add begins to watch the folder of a dataset. It reports whether there is anything to be gained
// from another attempt: the operating system allows so many watches.
func (n *notices) add(d *Dataset) (again bool) {
	if n == nil {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	folder := d.folder()
	if err := n.watcher.Add(folder); err != nil {
		return true
	}
	n.folder[folder] = d
	return false
}

func (n *notices) remove(d *Dataset) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if folder := d.folder(); n.folder[folder] == d {
		delete(n.folder, folder)
		n.watcher.Remove(folder)
	}
}

func (n *notices) find(folder string) *Dataset {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.folder[folder]
}

// run calls published for each dataset whose pointer was replaced, until ctx ends.
func (n *notices) run(ctx context.Context, published func(*Dataset)) {
	defer n.watcher.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.watcher.Errors: // such as lost notices
		case e, ok := <-n.watcher.Events:
			if !ok {
				return
			}
			if filepath.Base(e.Name) != layout.Current || !e.Has(fsnotify.Create) && !e.Has(fsnotify.Write) {
				continue
			}
			if d := n.find(filepath.Dir(e.Name)); d != nil {
				published(d)
			}
		}
	}
}
