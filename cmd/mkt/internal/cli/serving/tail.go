package serving

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tail"
)

type tailFlags struct {
	base, tokenFile string
	every           time.Duration
	verify, once    bool
}

// tokenVariable holds the API token if no file is named. There is no flag for the token:
// everybody on the machine could see it.
const tokenVariable = "MKT_TOKEN"

func newTail(g *Group) *cobra.Command {
	var f tailFlags
	cmd := &cobra.Command{
		Use:   "tail --base-url URL",
		Short: "Follow an account's changes over the API, as a client would",
		Long: `Follow an account's changes over the API, as a client would: page the
fixtures, then follow the changes from there, and start again when the
position is no longer in the log. The API token is read from MKT_TOKEN or
--token-file. With --verify the state that was followed is compared with the
service's whenever the end of the log is reached; a difference ends the
command with exit code 1.`,
		Example:     `  mkt tail --base-url http://127.0.0.1:8080 --token-file acme.token`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.WithoutConfig: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return g.tail(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.base, "base-url", "", "base URL of the service, such as http://127.0.0.1:8080")
	flags.StringVar(&f.tokenFile, "token-file", "", "file with the API token (default: the variable "+tokenVariable+")")
	flags.DurationVar(&f.every, "every", 2*time.Second, "time between requests at the end of the log")
	flags.BoolVar(&f.verify, "verify", false, "compare the state with the service's at the end of the log")
	flags.BoolVar(&f.once, "once", false, "stop at the end of the log")
	cli.Bound(flags, "every", "a duration from 100ms to 1h, such as 2s", cli.Between(&f.every, 100*time.Millisecond, time.Hour))
	return cmd
}

func (g *Group) tail(ctx context.Context, f tailFlags) error {
	at, err := url.Parse(f.base)
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Scheme != "http" && at.Scheme != "https" {
		return cli.Usagef("--base-url: want a URL such as http://127.0.0.1:8080")
	}
	token, err := f.token()
	if err != nil {
		return err
	}
	err = tail.Run(ctx, tail.Options{BaseURL: f.base, Token: token, Every: f.every, Verify: f.verify, Once: f.once, Report: g.printNews})
	if errors.Is(err, tail.ErrUnreachable) {
		err = cli.AsTemporary(err)
	}
	if err != nil {
		return fmt.Errorf("tail: %w", err)
	}
	return nil
}

func (f tailFlags) token() (string, error) {
	if f.tokenFile == "" {
		if token := strings.TrimSpace(os.Getenv(tokenVariable)); token != "" {
			return token, nil
		}
		return "", cli.Usagef("no API token: put it into %s, or into a file for --token-file", tokenVariable)
	}
	text, err := os.ReadFile(f.tokenFile)
	if err != nil {
		return "", cli.Usagef("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", cli.Usagef("--token-file %s: want one token and nothing else", f.tokenFile)
	}
	return token, nil
}

func (g *Group) printNews(n tail.News) {
	if g.JSON() {
		g.Encode(newsLine(n))
		return
	}
	switch n.Kind {
	case "bootstrap":
		plain.Fprintf(g.Out, "%s held; following\n", cli.Plural(n.Fixtures, "fixture"))
	case "event":
		plain.Fprintf(g.Out, "%8d %s %s%s\n", n.Event.Seq, n.Event.FixtureID, strings.TrimPrefix(n.Event.Type, "fixture_"), describe(n.Fixture))
	case "verified":
		plain.Fprintf(g.Out, "%s, as the service has them\n", cli.Plural(n.Fixtures, "fixture"))
	case "start_again":
		fmt.Fprintln(g.Out, "the change log no longer reaches back to the position: starting again")
	case "unreachable":
		plain.Fprintf(g.Errs, "waiting: %v\n", withoutURL(n.Cause))
	}
}

// withoutURL returns an error without the HTTP library's text, which contains the URL.
func withoutURL(err error) error {
	var refused *tail.Refused
	if errors.As(err, &refused) {
		return refused
	}
	return tail.ErrUnreachable
}

func describe(f *tail.Fixture) string {
	if f == nil {
		return ""
	}
	name := func(s *string) string {
		if s == nil {
			return "?"
		}
		return *s
	}
	return fmt.Sprintf(" %s - %s, %s", name(f.Home), name(f.Away), cli.Plural(f.MarketCount, "market"))
}

func newsLine(n tail.News) any {
	line := struct {
		Event    string        `json:"event"`
		Fixtures int           `json:"fixtures"`
		Change   *tail.Event   `json:"change,omitempty"`
		Fixture  *tail.Fixture `json:"fixture,omitempty"`
		Error    string        `json:"error,omitempty"`
	}{Event: n.Kind, Fixtures: n.Fixtures, Change: n.Event, Fixture: n.Fixture}
	if n.Cause != nil {
		line.Error = withoutURL(n.Cause).Error()
	}
	return line
}
