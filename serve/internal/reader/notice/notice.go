// Package notice passes on the operating system's notices of publications.
package notice

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"mkt/publish/layout"
)

// Watcher watches folders, each for one owner. Without its notices, a publication is found by
// the next poll: they are hints, and nothing depends on them. The nil value has none. Safe for
// concurrent use.
type Watcher[Owner comparable] struct {
	watcher *fsnotify.Watcher

	mu     sync.Mutex
	owners map[string]Owner
}

// New returns nil if the operating system refuses, or cannot do it.
func New[Owner comparable]() *Watcher[Owner] {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	return &Watcher[Owner]{watcher: w, owners: map[string]Owner{}}
}

// Add begins to watch a folder. It reports whether there is anything to be gained
// from another attempt: the operating system allows so many watches.
func (n *Watcher[Owner]) Add(folder string, owner Owner) (again bool) {
	if n == nil {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.watcher.Add(folder); err != nil {
		return true
	}
	n.owners[folder] = owner
	return false
}

// Remove ends the watch of a folder unless another owner has it by now.
func (n *Watcher[Owner]) Remove(folder string, owner Owner) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.owners[folder] == owner {
		delete(n.owners, folder)
		n.watcher.Remove(folder)
	}
}

func (n *Watcher[Owner]) find(folder string) (owner Owner, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	owner, ok = n.owners[folder]
	return owner, ok
}

// Run calls published for the owner of each folder whose pointer was replaced, until ctx ends.
func (n *Watcher[Owner]) Run(ctx context.Context, published func(Owner)) {
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
			if owner, ok := n.find(filepath.Dir(e.Name)); ok {
				published(owner)
			}
		}
	}
}
