package accounts

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/evidence/inspect"
	"mkt/internal/terminal"
	"mkt/publish/layout"
	"mkt/serve"
)

func newTenantRequests(g *Group) *cobra.Command {
	var wanted inspect.RequestsWanted
	var usage string
	cmd := &cobra.Command{
		Use:   "requests ID",
		Short: "Show the newest requests of a tenant and how they were answered",
		Long: `Show the newest requests of a tenant that mkt serve answered or refused on this
data root, the newest first: time, route, status, code and message of a
refusal, milliseconds, the publication that was read, and the request id that
the client got in X-Request-Id. A client's complaint begins here; with
--request-id there is also the mkt explain that goes on.`,
		Example: `  mkt tenant requests acme --refused
  mkt tenant requests acme --request-id req_n4bq5vfyz3k2c7a6t2m3x5d8`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !layout.ValidTenantID(args[0]) {
				return terminal.Usagef("tenant id %q: not an account's id", args[0])
			}
			list, err := inspect.RequestsOf(serve.RequestsDir(cmp.Or(usage, filepath.Join(g.Data, serve.UsageFolder))), g.Data, args[0], wanted)
			if err != nil {
				return err
			}
			if list.Kept == 0 { // a word that is no account is likelier than an account without requests
				file, err := g.LoadTenants()
				if err != nil {
					return err
				}
				if _, err := cli.TenantByID(file, args[0]); err != nil {
					return err
				}
			}
			if g.JSON() {
				return g.Encode(list)
			}
			return list.Document(cli.SameCommand(cmd)).Print(g.Out)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&wanted.Refused, "refused", false, "list only those that were refused")
	flags.StringVar(&wanted.ID, "request-id", "", "list only those with this id")
	flags.StringVar(&usage, "usage-dir", "", "read the requests below this folder, which serve writes to (default: usage below the data root)")
	g.Settings.BindPath(flags, "usage-dir", "serve.usage_dir")
	return cmd
}
