package receipts

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/internal/listen"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/witness"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
)

type witnessFlags struct {
	key, listen, state string
	logs               []string
	cert, certKey      string
}

func newWitness(g *Group) *cobra.Command {
	var f witnessFlags
	cmd := &cobra.Command{
		Use:   "witness --log VERIFIERKEY...",
		Short: "Cosign the heads of transparency logs of others",
		Long: `Cosign the heads of transparency logs: for an auditor or a partner of those who
run the logs. A witness remembers the newest head of each log that it cosigned,
and cosigns a newer one only with the proof that the log has grown and nothing
in it was changed. It needs no data root. It answers POST /add-checkpoint
(c2sp.org/tlog-witness), and POST /last-checkpoint with the newest head of a log
that it cosigned.

Whoever runs a log must not run its witnesses. Back up the folder of --state
with the key, and never restore an older copy of it: a witness that forgets
must be given a new key.`,
		Example: `  mkt witness --log example.com/prices+1a2b3c4d+ATu8...
  mkt witness --listen :8443 --tls-cert mkt.pem --tls-key mkt.key \
      --log example.com/prices+1a2b3c4d+ATu8...`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{cli.LongRunning: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return g.witness(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	witnessKeyFlag(g.Settings, cmd, &f.key)
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8099", "listen on this address; port 0 takes a free port")
	flags.StringVar(&f.state, "state", "witness", "store what the witness has cosigned in this folder")
	flags.StringSliceVar(&f.logs, "log", nil, "cosign the log with this verifier key (may be repeated)")
	flags.StringVar(&f.cert, "tls-cert", "", "read the certificate for TLS and its chain from this file")
	flags.StringVar(&f.certKey, "tls-key", "", "read the certificate's private key from this file")
	cli.Listens(flags, "listen", &f.listen)
	g.Settings.Bind(flags, "listen", "witness.listen")
	g.Settings.BindPath(flags, "state", "witness.state")
	g.Settings.Bind(flags, "log", "witness.logs")
	g.Settings.BindPath(flags, "tls-cert", "witness.tls_cert")
	g.Settings.BindPath(flags, "tls-key", "witness.tls_key")
	cmd.AddCommand(newWitnessInit(g))
	return cmd
}

func witnessKeyFlag(set *cli.Settings, cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "key-file", "witness.key", "use the key of the witness in this file; its verifier key is beside it, with .pub")
	set.BindPath(cmd.Flags(), "key-file", "witness.key_file")
}

func newWitnessInit(g *Group) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Create the key of a witness",
		Long: `Create the key of a witness. NAME names it for ever, such as
witness.example.org: a name under a domain of yours. Give the verifier key and
the address to those who run logs; they name both in their policy.`,
		Example: `  mkt witness init witness.example.org`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, verifier, err := commitlog.NewWitnessKey(args[0])
			if err != nil {
				return err
			}
			if err := commitlog.WriteKey(path, text, verifier); err != nil {
				return fmt.Errorf("witness init: %w", err)
			}
			return g.AnswerLine(map[string]any{"key_file": path, "verifier_key": verifier}, `created  %s
created  %s

Give this line to whoever runs a log, with an address that reaches this witness:

  witness NAME %s https://HOST

Then run mkt witness with the verifier key of the log (--log).
`, path, commitlog.PublicFile(path), verifier)
		},
	}
	witnessKeyFlag(g.Settings, cmd, &path)
	return cmd
}

// Limits of the server. A request is a checkpoint with a proof, of a few KiB.
const (
	witnessTime        = 10 * time.Second // to send a request, and to take the answer
	witnessIdle        = 2 * time.Minute
	witnessStop        = 5 * time.Second
	witnessHeader      = 8 << 10
	WitnessConnections = 256 // at once; then a new one replaces the one that has been idle longest
	witnessOfAddress   = 32
)

func (g *Group) witness(ctx context.Context, f witnessFlags) error {
	if len(f.logs) == 0 {
		return terminal.Usagef("which log? give its verifier key with --log (mkt log init prints it)")
	}
	if (f.cert == "") != (f.certKey == "") {
		return terminal.Usagef("--tls-cert and --tls-key: want both, or neither")
	}
	key, err := commitlog.ReadSecret("key of the witness", f.key, "mkt witness init NAME")
	if err != nil {
		return err
	}
	root, err := durable.OpenRoot(f.state)
	if err != nil {
		return fmt.Errorf("--state: %w", err)
	}
	defer root.Close()
	w, err := witness.New(witness.Options{Root: root, Key: strings.TrimSpace(string(key)), Logs: f.logs, Now: g.Now, Log: g.Log})
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("--state %s: %w: another mkt witness has it", f.state, durable.ErrLocked)
	}
	if err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	defer w.Close()
	config, err := f.tls()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return cli.ListenError(cli.Address{Flag: "listen", Value: f.listen}, err)
	}
	url := "http://" + l.Addr().String()
	if config != nil {
		url = "https://" + l.Addr().String()
	}
	if err := g.printWitness(url, w.VerifierKey()); err != nil {
		return errors.Join(err, l.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/add-checkpoint", w)
	mux.Handle("/last-checkpoint", w)
	return ServeWitness(ctx, l, config, mux, g.Log)
}

// tls reads the certificate; nil without one.
func (f witnessFlags) tls() (*tls.Config, error) {
	if f.cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.certKey)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.cert, f.certKey, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// ServeWitness answers until ctx is done, and then ends the requests under way. config is nil without TLS.
func ServeWitness(ctx context.Context, l net.Listener, config *tls.Config, h http.Handler, log *slog.Logger) error {
	limited := listen.New(l, listen.Options{Max: WitnessConnections, PerPeer: witnessOfAddress})
	server := &http.Server{Handler: h, ReadTimeout: witnessTime, WriteTimeout: witnessTime, IdleTimeout: witnessIdle, MaxHeaderBytes: witnessHeader,
		ConnState: limited.ConnState, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	l = limited
	if config != nil {
		l = tls.NewListener(l, config)
	}
	if err := listen.ServeUntil(ctx, server, l, witnessStop); err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	return nil
}

func (g *Group) printWitness(url, verifier string) error {
	if g.ForScripts() {
		return g.Encode(daemon.Ready{Event: "ready", BaseURL: url})
	}
	_, err := printable.Fprintf(g.Out, "mkt witness answers at %s/add-checkpoint as\n%s\n", url, verifier)
	return err
}
