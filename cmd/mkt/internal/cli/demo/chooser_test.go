package demo

import (
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
)

// The console can be opened before the first cycle has made a folder: then it has no examples.
func TestNothingToChooseYet(t *testing.T) {
	c := chooser{data: t.TempDir(), account: "main", now: time.Now}
	list, err := c.links(t.Context())
	check.Must(t, err)
	if len(list) > 0 {
		t.Errorf("%+v", list)
	}
}

// A folder may have any name, also one of the words that the file's text has in the place of others.
func TestFolderWithAnyName(t *testing.T) {
	f := demoFlags{dir: t.TempDir() + "/FROM AGAIN", past: 2 * time.Hour, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	s := screen{flags: f, accounts: demoAccounts(f, f.now)}
	text, err := s.text()
	check.Must(t, err)
	if n := strings.Count(text, f.dir); n < 4 {
		t.Errorf("the folder is named %d times in\n%s", n, text)
	}
	for _, want := range []string{"--from 11:01Z --to 12:00Z --into '" + f.dir + "/again'", "--replay 11:01Z..12:00Z"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}
