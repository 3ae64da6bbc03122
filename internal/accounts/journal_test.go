package accounts_test

import (
	"errors"
	"strings"
	"testing"

	"mkt/internal/accounts"
	"mkt/serve/account"
)

// journal records its calls, and fails as it is told to.
type journal struct {
	open, allow, write error
	told               []string
	before             []string // tenants before, of the edit
}

func (j *journal) Open(path string) (accounts.Log, error) {
	j.told = append(j.told, "open")
	if j.open != nil {
		return nil, j.open
	}
	return j, nil
}

func (j *journal) Allow(accounts.Edited) error { return j.allow }

func (j *journal) Write(e accounts.Edited) error {
	j.told = append(j.told, "write "+strings.Join(e.Tenants, ","))
	j.before = e.Before.IDs()
	return j.write
}

func (j *journal) Entries(accounts.Edited) ([]byte, error) { return nil, nil }
func (j *journal) All() ([]byte, error)                    { return nil, nil }
func (j *journal) Merge([]byte) error                      { return nil }

func (j *journal) Close() error {
	j.told = append(j.told, "close")
	return nil
}

func TestJournal(t *testing.T) {
	bad := errors.New("disk on fire")
	for _, c := range []struct {
		name    string
		journal journal
		change  func(*accounts.Editor) error
		told    string
		done    bool
		err     string
	}{
		{name: "edit", told: "open, write new, close", done: true},
		{name: "refused", change: func(*accounts.Editor) error { return bad }, told: "", err: "disk on fire"},
		{name: "not allowed", journal: journal{allow: bad}, told: "open, close", err: "not changed: disk on fire"},
		{name: "no log", journal: journal{open: bad}, told: "open", err: "not changed, since the change could not be logged: disk on fire"},
		{name: "log fails", journal: journal{write: bad}, told: "open, write new, close", done: true, err: "the change is made and in force, but could not be logged: disk on fire"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, byHand)
			if c.change == nil {
				c.change = func(e *accounts.Editor) error { return e.Add(accounts.Tenant{ID: "new", Status: account.Active}) }
			}
			f, err := accounts.EditLogged(t.Context(), path, c.journal.Open, c.change)
			if (f != nil) != c.done || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, %v", f, err)
			}
			if got := strings.Join(c.journal.told, ", "); got != c.told {
				t.Errorf("told %q, want %q", got, c.told)
			}
			if changed := content(t, path) != byHand; changed != c.done {
				t.Errorf("changed: %v", changed)
			}
			var unlogged *accounts.UnloggedError
			if errors.As(err, &unlogged) != (c.done && c.err != "") {
				t.Errorf("error %T", err)
			}
			if c.done && strings.Join(c.journal.before, " ") != "acme other" {
				t.Errorf("before: %v", c.journal.before)
			}
		})
	}
}
