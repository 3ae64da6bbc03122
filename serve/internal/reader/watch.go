package reader

import (
	"io/fs"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// marks are the modification times of the folders in which publications and state files
// appear. Each of these files is created or replaced as a whole, which modifies its folder.
type marks struct{ root, commits, state time.Time }

func marksOf(f durable.ReadFS) marks {
	return marks{modified(f.Stat(".")), modified(f.Stat(layout.CommitsDir)), modified(f.Stat(layout.StateDir))}
}

func modified(info fs.FileInfo, err error) time.Time {
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// watch decides whether files must be read again. Its zero value says that they must be.
type watch struct {
	marks   marks // when the last reading began
	settled bool  // it was complete, and the one before began with the same marks
	at      time.Time
}

// trusted is how long equal marks are trusted. They do not show a change of a file
// in place, as by a fault of the disk.
const trusted = 5 * time.Second

// isUnchanged reports whether nothing can have changed since the last reading. A second
// change soon after the first may leave the same time of a folder, so the reading after a
// change is repeated once.
func (w *watch) isUnchanged(now marks, at time.Time) bool {
	age := at.Sub(w.at)
	return w.settled && now == w.marks && age >= 0 && age < trusted
}

// hasRead records a reading that began with these marks.
func (w *watch) hasRead(now marks, at time.Time, complete bool) {
	*w = watch{now, complete && now == w.marks, at}
}
