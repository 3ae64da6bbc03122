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
	"mkt/internal/tail"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

type tailFlags struct {
	base, tokenFile string
	every           time.Duration
	verify, once    bool
	exec, position  string
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
command with exit code 1.

With --exec the program CMD, run by /bin/sh, gets every batch of events on its
standard input, as the lines of --output json, one JSON object each. If it exits
with 0, the position after the batch is written to the file of --position, where
the next run begins. If not, it gets the same batch again after a second, then
after two, at most a minute: every batch is delivered at least once, and events
in their order. The first batch, or the one after the position has left the log,
holds all fixtures: a line "bootstrap", after which CMD drops what it has, and a
line "fixture" for each. CMD may remember "seq" to recognise what it has had.`,
		Example: `  mkt tail --base-url http://127.0.0.1:8080 --token-file acme.token
  mkt tail --base-url http://127.0.0.1:8080 --token-file acme.token \
      --exec ./import.py --position acme.position`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.WithoutConfig: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return g.tail(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.base, "base-url", "", "connect to the service at this base URL, such as http://127.0.0.1:8080")
	flags.StringVar(&f.tokenFile, "token-file", "", "read the API token from this file (default: the variable "+tokenVariable+")")
	flags.DurationVar(&f.every, "every", 2*time.Second, "wait this long between requests at the end of the log")
	flags.BoolVar(&f.verify, "verify", false, "compare the state with the service's at the end of the log")
	flags.BoolVar(&f.once, "once", false, "stop at the end of the log")
	flags.StringVar(&f.exec, "exec", "", "run this program, with its arguments, for every batch of events; needs --position")
	flags.StringVar(&f.position, "position", "", "store the position after the last batch that --exec accepted in this file")
	cli.Bound(flags, "every", "a duration from 100ms to 1h, such as 2s", cli.Between(&f.every, 100*time.Millisecond, time.Hour))
	return cmd
}

func (g *Group) tail(ctx context.Context, f tailFlags) error {
	at, err := url.Parse(f.base)
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Scheme != "http" && at.Scheme != "https" {
		return terminal.Usagef("--base-url: want a URL such as http://127.0.0.1:8080")
	}
	token, err := f.token()
	if err != nil {
		return err
	}
	if (f.exec == "") != (f.position == "") {
		return terminal.Usagef("--exec and --position: want both, or neither")
	}
	o := tail.Options{BaseURL: f.base, Token: token, Every: f.every, Verify: f.verify, Once: f.once, Report: g.printNews}
	if f.exec != "" {
		c, err := g.openConsumer(f)
		if err != nil {
			return err
		}
		defer c.close()
		o.Cursor, o.Deliver, o.Report = c.cursor, c.deliver, g.printTrouble
	}
	err = tail.Run(ctx, o)
	if errors.Is(err, tail.ErrUnreachable) {
		err = terminal.AsTemporary(err)
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
		return "", terminal.Usagef("no API token: put it into %s, or into a file for --token-file", tokenVariable)
	}
	text, err := os.ReadFile(f.tokenFile)
	if err != nil {
		return "", terminal.Usagef("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", terminal.Usagef("--token-file %s: want one token and nothing else", f.tokenFile)
	}
	return token, nil
}

func (g *Group) printNews(n tail.News) {
	if g.JSON() {
		g.Encode(g.newsLine(n))
		return
	}
	now := terminal.ClockTime(g.Now())
	switch n.Kind {
	case "bootstrap":
		g.printLine("%s %s held; following", now, terminal.Plural(n.Fixtures, "fixture"))
	case "event":
		g.printLine("%s %8d %s %s%s", published(n.Event), n.Event.Seq, n.Event.FixtureID, strings.TrimPrefix(n.Event.Type, "fixture_"), describe(n.Fixture))
	case "verified":
		g.printLine("%s %s, as the service has them", now, terminal.Plural(n.Fixtures, "fixture"))
	case "start_again":
		g.printLine("%s the change log no longer reaches back to the position: starting again", now)
	default:
		g.printTrouble(n)
	}
}

// printLine prints a line for people, at most as wide as the terminal.
func (g *Group) printLine(format string, args ...any) {
	var line strings.Builder
	printable.Fprintf(&line, format, args...)
	fmt.Fprintln(g.Out, terminal.Cut(line.String(), g.Columns()))
}

// printTrouble prints why no events come. With --exec nothing else is printed, because
// the standard output is the program's.
func (g *Group) printTrouble(n tail.News) {
	now := terminal.ClockTime(g.Now())
	switch n.Kind {
	case "unreachable":
		printable.Fprintf(g.Errs, "%s waiting: %v\n", now, withoutURL(n.Cause))
	case "reachable":
		printable.Fprintf(g.Errs, "%s the service answers again\n", now)
	case "start_again":
		printable.Fprintf(g.Errs, "%s the change log no longer reaches back to the position: all fixtures are delivered again\n", now)
	}
}

// published returns when an event was published, to the second.
func published(e *tail.Event) string {
	at, err := time.Parse(time.RFC3339, e.PublishedAt)
	if err != nil {
		return e.PublishedAt
	}
	return terminal.ClockTime(at)
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
	return fmt.Sprintf(" %s - %s, %s", name(f.Home), name(f.Away), terminal.Plural(f.MarketCount, "market"))
}

// newsLine returns the news as a line of JSON. docs/compatibility.md promises its fields.
func (g *Group) newsLine(n tail.News) any {
	line := struct {
		Event    string        `json:"event"`
		At       time.Time     `json:"at"`
		Fixtures int           `json:"fixtures"`
		Change   *tail.Event   `json:"change,omitempty"`
		Fixture  *tail.Fixture `json:"fixture,omitempty"`
		Error    string        `json:"error,omitempty"`
	}{Event: n.Kind, At: g.Now().UTC(), Fixtures: n.Fixtures, Change: n.Event, Fixture: n.Fixture}
	if n.Cause != nil {
		line.Error = withoutURL(n.Cause).Error()
	}
	return line
}
