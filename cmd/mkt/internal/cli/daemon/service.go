package daemon

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/serve"
)

// ServiceFlags adds the flags for the service's name and address for clients.
// serve answers with them; doctor reports missing ones.
func ServiceFlags(set *cli.Settings, cmd *cobra.Command, s *serve.Service) {
	flags := cmd.Flags()
	flags.StringVar(&s.Name, "service-name", "", "show this name of the service in /status (default: the product's own)")
	flags.StringVar(&s.SupportEmail, "support-email", "", "show this support address in /status (default: support@localhost, which reaches nobody)")
	cli.Bound(flags, "service-name", "at most 100 characters on one line", func() bool { return isLine(s.Name, 100) })
	cli.Bound(flags, "support-email", "an address such as support@example.com", func() bool { return s.SupportEmail == "" || isAddress(s.SupportEmail) })
	set.Bind(flags, "service-name", "serve.service_name")
	set.Bind(flags, "support-email", "serve.support_email")
}

// isLine reports whether s is printable text of at most the given number of characters, without
// spaces around it.
func isLine(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// isAddress reports whether s is a mail address and nothing else.
func isAddress(s string) bool {
	const most = 254 // RFC 5321
	at, err := mail.ParseAddress(s)
	return err == nil && at.Address == s && isLine(s, most)
}
