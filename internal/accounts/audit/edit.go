package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"mkt/internal/accounts"
)

// By says who does what, and when.
type By struct {
	Who    Who
	Action Action
	Now    func() time.Time
}

// Edit changes the tenants file at path as accounts.Edit does, and logs one entry for each
// tenant that changed. If the log cannot be opened, nothing is changed. If the returned file
// is not nil, the edit was made; an *accounts.UnloggedError with it means that the entry could
// not be written.
func Edit(ctx context.Context, path string, by By, change func(*accounts.Editor) error) (*accounts.File, error) {
	return accounts.EditLogged(ctx, path, by.open, change)
}

// EditCopy is [Edit] for accounts that several machines share. The file at path is a copy of them.
func EditCopy(ctx context.Context, path string, origin accounts.Origin, by By, change func(*accounts.Editor) error) (*accounts.File, error) {
	return accounts.Copy{Path: path, Origin: origin, Journal: by.open}.Edit(ctx, change)
}

// CopyAt returns a copy of the accounts that several machines share, with the log beside it.
func CopyAt(path string, origin accounts.Origin) accounts.Copy {
	return accounts.Copy{Path: path, Origin: origin, Journal: By{}.open}
}

// open is a accounts.Journal.
func (b By) open(path string) (accounts.Log, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return &pending{file: f, by: b, name: filepath.Base(path)}, nil
}

type pending struct {
	file  *file
	by    By
	name  string
	lines []byte // what the edit writes; nil before it is known
}

// Write implements accounts.Log.
func (p *pending) Write(e accounts.Edited) error {
	lines, err := p.Entries(e)
	if err != nil {
		return err
	}
	return p.file.append(lines)
}

// Entries implements accounts.Log. It returns the same lines every time.
func (p *pending) Entries(e accounts.Edited) ([]byte, error) {
	if p.lines != nil {
		return p.lines, nil
	}
	entry := Entry{
		Format: Format, At: p.by.Now().UTC().Truncate(time.Millisecond), Action: p.by.Action, File: plain(p.name),
		Who:    Who{User: plain(p.by.Who.User), Actor: plain(p.by.Who.Actor)},
		Before: sum(e.Before), After: sum(e.After),
	}
	var entries []Entry
	for _, id := range e.Tenants {
		before, _ := e.Before.Tenant(id)
		after, _ := e.After.Tenant(id)
		entry.Tenant, entry.Changes = id, changes(before, after)
		if p.by.Action == TenantDelete {
			entry.Changes = []Change{}
		}
		entries = append(entries, entry)
	}
	if p.by.Action == FileSeal {
		d := diff{}
		d.text("accounts", strconv.Itoa(e.Before.SealedAccounts()), strconv.Itoa(e.After.SealedAccounts()))
		entry.Tenant, entry.Changes = WholeFile, d.found
		entries = append(entries, entry)
	}
	var err error
	p.lines, err = encode(entries)
	return p.lines, err
}

// All implements accounts.Log.
func (p *pending) All() ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(p.file, 0, longestLog))
}

// longestLog bounds how much of a log is shared with other machines.
const longestLog = 16 << 20

// Merge implements accounts.Log. Entries name the tenants file as it is called here.
func (p *pending) Merge(entries []byte) error {
	known := map[string]bool{}
	for line, err := range lines(io.NewSectionReader(p.file, 0, 1<<62)) {
		if err != nil {
			return err
		}
		if e, ok := parse(line); ok {
			known[e.key()] = true
		}
	}
	var added []Entry
	for line, err := range lines(bytes.NewReader(entries)) {
		if err != nil {
			return err
		}
		if e, ok := parse(line); ok && !known[e.key()] {
			known[e.key()] = true
			e.File = plain(p.name)
			added = append(added, e)
		}
	}
	if len(added) == 0 {
		return nil
	}
	data, err := encode(added)
	if err != nil {
		return err
	}
	return p.file.append(data)
}

// key identifies an entry, whatever the file is called.
func (e Entry) key() string {
	e.File = ""
	line, _ := json.Marshal(e) // an entry can be encoded
	return string(line)
}

// Close implements accounts.Log.
func (p *pending) Close() error { return p.file.Close() }

func sum(f *accounts.File) string {
	s := f.Sum()
	return hex.EncodeToString(s[:])
}
