package tenants

import (
	"os"
	"sync"
	"time"
)

// Latest reads a tenants file, and reads it again only if it has changed. The zero value is ready for use. It is
// safe for concurrent use.
type Latest struct {
	mu   sync.Mutex
	stat os.FileInfo // before the file was read; nil if its content may have changed without a trace since
	file *File
}

// Load returns the content that the file has now.
func (l *Latest) Load(path string, now time.Time) (*File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if isUnchanged(l.stat, stat, now) {
		return l.file, nil
	}
	f, err := Load(path)
	if err != nil {
		return nil, err
	}
	if now.Sub(stat.ModTime()) <= settled {
		stat = nil
	}
	l.stat, l.file = stat, f
	return f, nil
}
