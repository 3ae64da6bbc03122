package evidence

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch"
	"mkt/fetch/provider/feed"
	"mkt/internal/accounts"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/feedcheck"
	"mkt/internal/scratch"
	"mkt/internal/terminal"
)

func newFeed(g *Group) *cobra.Command {
	return cli.Group("feed", "Check what a feed answers", newFeedCheck(g))
}

func newFeedCheck(g *Group) *cobra.Command {
	var o feedcheck.Options
	var mapping string
	cmd := &cobra.Command{
		Use:   "check URL|DIR",
		Short: "Say what is wrong with a feed, and what would be published",
		Long: `Check a feed of docs/feed.md, for the author of its translator. No account and
no data root is needed. The list of fixtures and the prices are read twice and
the matches in play once, as mkt reads a feed. Each fault is said with its
request, its path as jq takes it, and how to correct it; then follows what
would be published, by market, and what looks as if it were misread.

The credential is read from the terminal without echo, or from stdin. The feed
may be on this machine or in a private network. In a folder, which needs no
credential, each *.json file is one answer.

The exit code is 0 if there is no error, 1 otherwise, and 75 if the feed cannot
be reached; a warning is no error.`,
		Example: `  mkt feed check http://127.0.0.1:8080 --source acme-odds < token
  mkt feed check answers --mapping table.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.Contains(args[0], "://") {
				if reason := accounts.CheckBaseURL(args[0], true); reason != "" {
					return terminal.Usagef("%s: %s", args[0], reason)
				}
				o.URL = args[0]
			} else if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
				return terminal.Usagef("%s: want the address of a feed, such as http://127.0.0.1:8080, or a folder", args[0])
			}
			o.Folder, o.Now = os.DirFS(args[0]), g.Now
			return g.checkFeed(cmd, o, mapping)
		},
	}
	cmd.Flags().StringVar(&o.Source, "source", "", "expect answers of this source (default: that of the first answer)")
	cmd.Flags().StringVar(&mapping, "mapping", "", "map markets by this table, as mkt provider set --mapping would")
	return cmd
}

func (g *Group) checkFeed(cmd *cobra.Command, o feedcheck.Options, mapping string) (err error) {
	if mapping != "" {
		text, err := os.ReadFile(mapping)
		if err != nil {
			return fmt.Errorf("--mapping: %w", err)
		}
		o.Mapping = string(text)
		if reason := accounts.CheckMapping(feed.Prefix+feed.Simulated, o.Mapping); reason != "" {
			return fmt.Errorf("--mapping %s: %s", mapping, reason)
		}
	}
	if o.URL != "" {
		if o.Credential, err = g.ReadCredential("the feed"); err != nil {
			return err
		}
	}
	private, err := scratch.Make("", "mkt-feed-check-")
	if err != nil {
		return err
	}
	defer private.Remove()
	bar := g.NewBar("feed check", "requests")
	o.Scratch, o.Progress = private.Dir, func(p fetch.Progress) { bar.Set(p.Done, p.Total) }
	report, err := feedcheck.Run(cmd.Context(), o)
	bar.Done()
	if err == nil {
		err = g.show(report, func() *document.Document {
			d := report.Document()
			if report.Prices != nil {
				d.Sections = append(d.Sections, coverageDocument(report.Prices, "").Sections[1:]...) // without each payload
			}
			return d
		})
	}
	if err == nil && report.Errors > 0 {
		err = fmt.Errorf("feed check: %s", terminal.Plural(report.Errors, "error"))
	}
	return err
}
