package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// MkdirAllSync creates folders and their parents, and makes them durable even if they
// exist: a killed run may have left them unsynced. It syncs a parent of several once.
func MkdirAllSync(f FS, dirs ...string) error {
	var parents []string
	for _, dir := range dirs {
		if err := f.MkdirAll(dir); err != nil {
			return err
		}
		for dir = path.Clean(dir); dir != "."; {
			if dir = path.Dir(dir); !slices.Contains(parents, dir) {
				parents = append(parents, dir)
			}
		}
	}
	for _, dir := range parents {
		if err := f.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// Install moves a finished folder from staging to its final name. Its files and folders must be
// synced, and both parents must exist. If a folder of the final name has the very same files, it
// is kept and the staged one is deleted. If it differs, the error is [ErrDiffers] and nothing is
// moved.
func Install(f FS, staged, final string) error {
	err := f.Rename(staged, final)
	if err == nil {
		return syncBoth(f, path.Dir(final), path.Dir(staged))
	}
	if taken, e := Exists(f, final); e != nil || !taken {
		return err
	}
	same, err := SameFolder(f, staged, final)
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("%s: %w", final, ErrDiffers)
	}
	if err := SyncFolder(f, final); err != nil {
		return err
	}
	if err := f.RemoveAll(staged); err != nil {
		return err
	}
	return syncBoth(f, path.Dir(final), path.Dir(staged))
}

// MoveInto moves a file or folder into dir under a unique name, and returns the name.
func MoveInto(f FS, name, dir string) (string, error) {
	if err := MkdirAllSync(f, dir); err != nil {
		return "", err
	}
	for n := 0; ; n++ {
		to := fmt.Sprintf("%s/%s.%d", dir, path.Base(name), n)
		taken, err := Exists(f, to)
		if err != nil {
			return "", err
		}
		if taken {
			continue
		}
		if err := f.Rename(name, to); err != nil {
			return "", err
		}
		return to, syncBoth(f, dir, path.Dir(name))
	}
}

// Replace gives a staged file the name of a damaged one. The damaged file, if it exists, is moved
// into the folder aside first. If the process is stopped between the two steps, the file is
// missing.
func Replace(f FS, staged, final, aside string) error {
	dir := path.Dir(final)
	if err := MkdirAllSync(f, dir); err != nil {
		return err
	}
	exists, err := Exists(f, final)
	if err == nil && exists {
		_, err = MoveInto(f, final, aside)
	}
	if err != nil {
		return err
	}
	if err := f.Link(staged, final); err != nil {
		return err
	}
	return f.SyncDir(dir)
}

// SyncFolder makes the entries of a folder and of its sub-folders durable. The files in
// it were synced in staging.
func SyncFolder(f ReadFS, dir string) error {
	entries, err := f.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := SyncFolder(f, path.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return f.SyncDir(dir)
}

// SameFolder reports whether two folders have the same names with the same bytes. A
// missing folder equals no other.
func SameFolder(f ReadFS, a, b string) (bool, error) {
	inA, err := f.ReadDir(a)
	if err != nil {
		return false, missing(err)
	}
	inB, err := f.ReadDir(b)
	if err != nil || len(inA) != len(inB) {
		return false, missing(err)
	}
	for i := range inA {
		name := inA[i].Name()
		if name != inB[i].Name() || inA[i].Type() != inB[i].Type() {
			return false, nil
		}
		compare := SameFile
		if inA[i].IsDir() {
			compare = SameFolder
		}
		if same, err := compare(f, path.Join(a, name), path.Join(b, name)); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func syncBoth(f ReadFS, a, b string) error {
	if err := f.SyncDir(a); err != nil || a == b {
		return err
	}
	return f.SyncDir(b)
}
