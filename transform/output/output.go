// Package output writes canonical cycles: first the tables, then the header, and both become
// visible together.
package output

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Folder is the working folder in which a canonical cycle is written.
type Folder struct {
	root  durable.FS
	cycle layout.CycleID
	dir   string
}

// Stage makes the folder, empty.
func Stage(root durable.FS, cycle layout.CycleID) (*Folder, error) {
	f := &Folder{root, cycle, layout.StagingDir + "/transform-" + string(cycle)}
	if err := f.Remove(); err != nil { // left by a killed run
		return nil, err
	}
	return f, errors.Join(durable.MkdirAllSync(root, layout.CanonicalDir, layout.StagingDir), root.MkdirAll(f.dir))
}

// Remove deletes the folder, unless it was installed.
func (f *Folder) Remove() error { return f.root.RemoveAll(f.dir) }

// Path returns the path of a file of the folder.
func (f *Folder) Path(name string) string { return f.dir + "/" + name }

// Write writes a table, and adds its file and description to the header m.
func Write[T table.Row](ctx context.Context, f *Folder, m *snapshot.Manifest, name, key string, rows func(*table.Writer[T]) error) error {
	header := table.Header{ClientID: m.ClientID, Product: string(m.Product), CycleID: string(f.cycle),
		Provider: m.Provider, DerivationVersion: m.DerivationVersion}
	file, err := snapshot.CreateFile(f.root, f.dir, name, func(out io.Writer) error {
		w := table.NewWriter[T](out, header)
		if err := rows(w); err != nil {
			return err
		}
		sum, err := w.Close()
		m.Tables[key] = sum
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m.Files = append(m.Files, file)
	return ctx.Err()
}

// Install writes the header and moves the folder to its place. A cycle transformed again must make
// the same bytes.
func (f *Folder) Install(ctx context.Context, m snapshot.Manifest) error {
	if _, err := snapshot.CreateManifest(f.root, f.dir, m); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	err := durable.Install(f.root, f.dir, layout.Cycle(layout.CanonicalDir, f.cycle))
	if errors.Is(err, durable.ErrDiffers) {
		return fmt.Errorf("%w: the existing rows were changed, or another build wrote them; they are kept. Run mkt doctor to check what is served, or leave out --cycle for a new cycle", err)
	}
	return err
}
