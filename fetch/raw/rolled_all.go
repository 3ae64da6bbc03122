package raw

import (
	"errors"
	"io"
	"iter"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Rolled gives the cycles of a pack in order, one in memory at a time, reading the
// pack once. What is damaged comes as ErrCorrupt beside the cycle's id, and the
// others follow; a pack that cannot be read on ends with an error and no id.
func Rolled(fsys durable.ReadFS, pack string) iter.Seq2[RolledCycle, error] {
	return func(yield func(RolledCycle, error) bool) {
		at, files := layout.CycleID(""), map[string][]byte{}
		flush := func() bool {
			if at == "" {
				return true
			}
			a, err := openHeaders(fsys, at, files[layout.RawCycleFile], &rolledCycle{files})
			return yield(RolledCycle{at, a}, err)
		}
		err := eachRolled(fsys, pack, func(id layout.CycleID, name string, content io.Reader) (err error) {
			if id != at {
				if !flush() {
					return errPassed
				}
				at, files = id, map[string][]byte{}
			}
			files[name], err = io.ReadAll(io.LimitReader(content, MaxBody+1))
			return err
		})
		if errors.Is(err, errPassed) {
			return
		}
		if err != nil {
			yield(RolledCycle{}, err)
			return
		}
		flush()
	}
}

// RolledCycle is one cycle of a pack; Archive is nil beside an error.
type RolledCycle struct {
	ID      layout.CycleID
	Archive *Archive
}

// Files are the names below the cycle's folder that it should hold, and no other.
func (a *Archive) Files() []string {
	names := []string{layout.RawCycleFile, layout.RawFetchFile}
	for _, r := range a.responses {
		names = append(names, r.File)
	}
	return names
}
