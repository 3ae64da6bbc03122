package receipts

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
)

func newLogInit(g *Group) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Create the key of the transparency log",
		Long: `Create the key of the transparency log. NAME names the log for ever, such as
example.com/prices: a name under a domain of yours. The file of the key is
only for mkt log and mkt schedule. Beside it is the verifier key, which is for
everybody.

Keep a copy of the key: without it nothing more can be added to the log.`,
		Example: `  mkt log init example.com/prices`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return g.logInit(cmd.Context(), args[0]) },
	}
	cli.LogKeyFlag(&g.files, g.Settings, cmd)
	return cmd
}

func (g *Group) logInit(ctx context.Context, name string) error {
	if _, err := os.Stat(filepath.Join(g.Data, "log", "checkpoint")); err == nil {
		return fmt.Errorf("log init: the data root has a log: restore its key from a copy, or move log and leaves out of the data root to begin another")
	}
	if s, err := g.Store(ctx); err == nil {
		if head, err := s.Log().Head(ctx); err != nil || head != nil {
			return cmp.Or(err, errors.New("log init: the object store has a copy of a log: restore its key, or give this installation a prefix of its own"))
		}
	} else if !errors.Is(err, cli.ErrNoStore) {
		return err
	}
	text, err := transparency.NewKey(rand.Reader, name)
	if err != nil {
		return terminal.AsUsage(err)
	}
	key, err := transparency.ParseKey(text)
	if err != nil {
		return terminal.AsUsage(err)
	}
	if err := commitlog.WriteKey(g.files.Key, text, key.VerifierKey()); err != nil {
		return fmt.Errorf("log init: %w", err)
	}
	return g.AnswerLine(map[string]any{"key_file": g.files.Key, "verifier_key": key.VerifierKey()}, `created  %s
created  %s

Keep a copy of the key. The verifier key is for witnesses and for everybody who
checks receipts:

  %[3]s

Next, name it and the witnesses in a policy, and its path in mkt.yaml as
log_policy. With two of three witnesses:

  log %[3]s
  witness a VERIFIERKEY https://witness.example.org
  witness b VERIFIERKEY https://witness.example.net
  witness c VERIFIERKEY https://witness.example.com
  group two 2 a b c
  quorum two

Then mkt log adds the newest publications; mkt schedule does it every minute.
`, g.files.Key, commitlog.PublicFile(g.files.Key), key.VerifierKey())
}
