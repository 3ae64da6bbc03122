package reader

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// scratch is the private folder of one process below the cache folder:
//
//	run-<random>/lock         held as long as the process lives
//	run-<random>/load-*/      one loaded snapshot's files
//	attempts/*.json           loads that were begun and not ended
//
// What a killed process left behind is removed by the next.
type scratch struct {
	dir      string // run-<random>
	attempts string
	lock     *os.File
}

// errKills: loading this snapshot has killed the process more than once.
var errKills = errors.New("loading it killed the process before")

// What a load that was begun and not ended says: the process died in it.
const (
	killsAllowed = 2
	killsExpire  = 10 * time.Minute // then it gets another chance
)

func openScratch(cache string) (*scratch, error) {
	attempts := filepath.Join(cache, "attempts")
	if err := os.MkdirAll(attempts, 0o700); err != nil {
		return nil, err
	}
	sweep(cache)
	dir, err := os.MkdirTemp(cache, "run-")
	if err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return &scratch{dir, attempts, lock}, nil
}

// sweep removes the folders of processes that are gone. A folder that is being
// made just now has no lock yet: it is left alone for a minute.
func sweep(cache string) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(cache, e.Name())
		info, err := e.Info()
		if err != nil || !e.IsDir() || !strings.HasPrefix(e.Name(), "run-") {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
		if err != nil {
			if time.Since(info.ModTime()) > time.Minute {
				os.RemoveAll(dir)
			}
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(dir)
		}
		lock.Close()
	}
}

func (s *scratch) close() error {
	err := os.RemoveAll(s.dir)
	return errors.Join(err, s.lock.Close())
}

// attempt is one load under way.
type attempt struct {
	dir  string // for its files
	note string
}

type attemptNote struct {
	Begun int       `json:"begun"` // times, without coming to an end
	At    time.Time `json:"at"`
}

// begin notes that a load begins. It returns errKills when it was begun before
// and never ended, too often and not long ago.
func (s *scratch) begin(clientID, product, commit string, now time.Time) (*attempt, error) {
	file := filepath.Join(s.attempts, clientID+"-"+product+"-"+commit[:min(16, len(commit))]+".json")
	var n attemptNote
	if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &n) != nil {
		n = attemptNote{}
	}
	if now.Sub(n.At) > killsExpire {
		n = attemptNote{}
	}
	if n.Begun >= killsAllowed {
		return nil, errKills
	}
	data, err := json.Marshal(attemptNote{n.Begun + 1, now.UTC()})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(s.dir, "load-")
	if err != nil {
		return nil, errors.Join(err, os.Remove(file))
	}
	return &attempt{dir, file}, nil
}

// ended notes that the load came to an end, good or bad.
func (a *attempt) ended() { os.Remove(a.note) }
