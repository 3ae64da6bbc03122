package audit

import (
	"context"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"time"

	"mkt/cmd/mkt/internal/tenants"
)

// By says who does what, and when.
type By struct {
	Who    Who
	Action Action
	Now    func() time.Time
}

// Edit changes the tenants file at path as tenants.Edit does, and logs one entry for each
// tenant that changed. If the log cannot be opened, nothing is changed. If the returned file
// is not nil, the edit was made; an *tenants.UnloggedError with it means that the entry could
// not be written.
func Edit(ctx context.Context, path string, by By, change func(*tenants.Editor) error) (*tenants.File, error) {
	return tenants.EditLogged(ctx, path, by.open, change)
}

// open is a tenants.Journal.
func (b By) open(path string) (tenants.Log, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return &pending{file: f, by: b, name: filepath.Base(path)}, nil
}

type pending struct {
	file *file
	by   By
	name string
}

// Write implements tenants.Log.
func (p *pending) Write(e tenants.Edited) error {
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
		entries = append(entries, entry)
	}
	if p.by.Action == FileSeal {
		d := diff{}
		d.text("accounts", strconv.Itoa(e.Before.SealedAccounts()), strconv.Itoa(e.After.SealedAccounts()))
		entry.Tenant, entry.Changes = WholeFile, d.found
		entries = append(entries, entry)
	}
	return p.file.append(entries)
}

// Close implements tenants.Log.
func (p *pending) Close() error { return p.file.Close() }

func sum(f *tenants.File) string {
	s := f.Sum()
	return hex.EncodeToString(s[:])
}
