package accounts

import (
	"bytes"
	"sync"
)

// Latest reads a tenants file again and again, and parses it only if its content has changed. The zero value is
// ready for use. It is safe for concurrent use.
type Latest struct {
	mu   sync.Mutex
	data []byte
	file *File // nil until the file was read
}

// Lacks reports whether a tenants file has no entry of an account. Only a sealed file tells: one that was cut
// off may lack any, and is never in force. See [File.Replaces].
func (l *Latest) Lacks(path, id string) (bool, error) {
	data, err := readFile(path)
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil || !bytes.Equal(data, l.data) {
		f, err := Parse(path, data)
		if err != nil {
			return false, err
		}
		l.data, l.file = data, f
	}
	_, has := l.file.Tenant(id)
	return !has && l.file.Seal() == Sealed, nil
}
