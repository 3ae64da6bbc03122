package cli

import (
	"errors"
	"fmt"
	"testing"

	"mkt/fetch"
	"mkt/fetch/provider"
	"mkt/internal/accounts"
	"mkt/internal/cluster/store/object"
	"mkt/internal/terminal"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

func TestExitCode(t *testing.T) {
	other := errors.New("other")
	tests := map[string]struct {
		err  error
		want int
	}{
		"none":              {nil, 0},
		"other":             {other, 1},
		"usage":             {fmt.Errorf("x: %w", terminal.Usagef("flag")), 2},
		"locked":            {fmt.Errorf("x: %w", durable.ErrLocked), 75},
		"unreachable":       {fmt.Errorf("x: %w", provider.ErrUnreachable), 75},
		"quota":             {fmt.Errorf("x: %w: %w", fetch.ErrLimited, other), 75},
		"store away":        {&publish.StoreError{Err: fmt.Errorf("x: %w", object.ErrAway)}, 75},
		"store full":        {&publish.StoreError{Err: fmt.Errorf("x: %w", object.ErrFull)}, 1},
		"another publisher": {fmt.Errorf("x: %w", publish.ErrConflict), 75},
		"all later":         {&Failures{errs: []error{durable.ErrLocked, provider.ErrUnreachable}, Of: 3}, 75},
		"one for good":      {&Failures{errs: []error{durable.ErrLocked, other}, Of: 3}, 1},
		"interrupted":       {errors.Join(ErrInterrupted, durable.ErrLocked), 130},
		"no such account":   {fmt.Errorf("x: %w", &accounts.UnknownError{ID: "a"}), 2},
		"no such version":   {fmt.Errorf("x: %w", snapshot.ErrUnknown), 2},
		"nothing published": {fmt.Errorf("%w: %w", snapshot.ErrUnknown, snapshot.ErrNothing), 1},
	}
	for name, tt := range tests {
		if got := ExitCode(tt.err); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
