package accounts

import (
	"context"
	"os"
	"os/user"
	"strconv"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
)

// editTenants changes tenants.yaml and logs the change. Every command that changes an
// account uses it. If the generation is not nil the change is in force and must be reported,
// also if there is an error: then the log could not be written.
func (g *Group) editTenants(ctx context.Context, action audit.Action, change func(*accounts.Editor) error) (*accounts.File, error) {
	by := audit.By{Who: whoever(), Action: action, Now: g.Now}
	if !g.SharedTenants {
		f, err := audit.Edit(ctx, g.Tenants, by, change)
		return f, g.MissingTenants(err)
	}
	if _, err := g.WritableStore(ctx); err != nil { // it must honour conditional writes
		return nil, err
	}
	origin, err := g.SharedAccounts(ctx)
	if err != nil {
		return nil, err
	}
	f, err := audit.EditCopy(ctx, g.Tenants, origin, by, change)
	return f, g.MissingTenants(err)
}

// whoever returns who runs the command: the user of the operating system, and the person
// that MKT_ACTOR names if several people share a user.
func whoever() audit.Who {
	w := audit.Who{User: "uid " + strconv.Itoa(os.Getuid()), Actor: os.Getenv(cli.EnvPrefix + "_ACTOR")}
	if u, err := user.Current(); err == nil {
		w.User = u.Username
	}
	return w
}
