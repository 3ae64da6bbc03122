package store

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mkt/internal/cluster/store/pack"
	"path"
	"slices"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

const stateArchive = "state.tar"

// maxStates bounds the state files of one folder.
const maxStates = 8 << 20

// ShipStates stores the state files of a product, whose root is root, and those of its account in
// the data root, if they have changed since this process stored them last. The next worker and the
// answers of replicas use them; no data depends on them.
func (d *Dataset) ShipStates(ctx context.Context, data, root durable.ReadFS) error {
	return errors.Join(d.store.shipStates(ctx, root, layout.StateDir, d.dir), d.store.ShipAccountStates(ctx, d.clientID, data))
}

// ShipAccountStates stores the state files of an account in the data root, if they have changed since
// this process stored them last.
func (s *Store) ShipAccountStates(ctx context.Context, clientID string, data durable.ReadFS) error {
	dir := layout.Tenant(clientID) + "/"
	return s.shipStates(ctx, data, dir+layout.StateDir, dir)
}

func (s *Store) shipStates(ctx context.Context, f durable.ReadFS, dir, prefix string) error {
	data, err := archiveStates(f, dir)
	if err != nil || data == nil {
		return err
	}
	key, sum := prefix+stateArchive, durable.Hash(data)
	if last, ok := s.shipped.Load(key); ok && last == sum {
		return nil
	}
	if err = s.objects.Put(ctx, key, durable.Bytes(data)); err == nil {
		s.shipped.Store(key, sum)
	}
	return err
}

// archiveStates returns the state files of a folder as an archive, nil if there are none.
func archiveStates(f durable.ReadFS, dir string) ([]byte, error) {
	entries, err := f.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		if !isState(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		data, err := durable.ReadFile(f, dir+"/"+e.Name(), maxStates)
		if err != nil {
			return nil, err
		}
		if err := w.WriteHeader(pack.Header(layout.StateDir+"/"+e.Name(), tar.TypeReg, "", int64(len(data)))); err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	err = w.Close() // which writes the end of the archive
	return out.Bytes(), err
}

// rawProgress is the state file with the list of raw cycles in a root, which saves a listing.
// Another root has other cycles.
const rawProgress = "raw"

// payloadWeek is the memory of package payloads. It is larger than what a live cycle stores, and another worker
// begins its own.
const payloadWeek = "payload_week"

// isState reports whether a name is that of a state file.
func isState(name string) bool {
	base, ok := strings.CutSuffix(name, ".json")
	return ok && layout.ValidTenantID(base) && base != rawProgress && base != payloadWeek
}

// CopyStates copies the state files of a product to its root. The one of the newest publication is
// left out until the root has that publication: see [publishedIn].
func (d *Dataset) CopyStates(ctx context.Context, f durable.FS) error {
	states, err := d.store.states(ctx, d.dir)
	if err != nil {
		return err
	}
	var head snapshot.Commit
	if publishedIn(states) != "" {
		if head, _, err = snapshot.Head(f); err != nil && !snapshot.IsDamage(err) {
			return err
		}
	}
	return writeStatesUpTo(f, states, head.CycleID)
}

// writeStatesUpTo is writeStates for a root whose newest publication is of a cycle.
func writeStatesUpTo(f durable.FS, states map[string][]byte, newest layout.CycleID) error {
	if publishedIn(states) > newest {
		states = maps.Clone(states)
		delete(states, publishState)
	}
	return writeStates(f, states)
}

// publishState is the state file that names the newest publication.
const publishState = layout.StateDir + "/publish.json"

// publishedIn returns the cycle that state files name as the one published last; "" if they name none. A
// root that lacks this publication would look as if its newest commit records had been lost.
func publishedIn(states map[string][]byte) layout.CycleID {
	var run health.Run
	if json.Unmarshal(states[publishState], &run) != nil || !run.OK {
		return ""
	}
	return layout.CycleID(run.Cycle)
}

// CopyAccountStates copies the state files of an account to its root.
func (s *Store) CopyAccountStates(ctx context.Context, clientID string, f durable.FS) error {
	states, err := s.states(ctx, layout.Tenant(clientID)+"/")
	if err == nil {
		err = writeStates(f, states)
	}
	return err
}

// states returns the state files in the store by name; it may have none.
func (s *Store) states(ctx context.Context, prefix string) (map[string][]byte, error) {
	data, err := s.objects.Get(ctx, prefix+stateArchive)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	states, err := readStates(data)
	if err != nil {
		s.log.Warn("the state files in the object store are damaged and were left out; the next run replaces them", "object", prefix+stateArchive, "error", err)
	}
	return states, nil
}

// writeStates replaces the state files in a root that differ.
func writeStates(f durable.FS, states map[string][]byte) error {
	if len(states) == 0 {
		return nil
	}
	if err := durable.MkdirAllSync(f, layout.StateDir); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		if same, err := durable.ReadFile(f, name, maxStates); err == nil && bytes.Equal(same, states[name]) {
			continue
		}
		if err := durable.Overwrite(f, name, states[name]); err != nil {
			return err
		}
	}
	return nil
}

// readStates returns the files of an archive of state files. After an error it returns the
// readable ones.
func readStates(archive []byte) (map[string][]byte, error) {
	states := map[string][]byte{}
	for in := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := in.Next()
		if err == io.EOF {
			return states, nil
		}
		if err != nil {
			return states, err
		}
		state, err := io.ReadAll(in)
		if err != nil {
			return states, err
		}
		if path.Dir(h.Name) != layout.StateDir || !isState(path.Base(h.Name)) || !json.Valid(state) {
			return states, fmt.Errorf("%q is no state file", h.Name)
		}
		states[h.Name] = state
	}
}
