package accounts

import (
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/credential"
	"mkt/internal/accounts"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/transform/identity"
)

//go:embed init/mkt.yaml
var InitConfig []byte

//go:embed init/tenants.yaml
var initTenants []byte

func newInit(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Create mkt.yaml, tenants.yaml and the two keys",
		Long: `Create mkt.yaml, tenants.yaml, seal.key and id.key in DIR. The default is the
folder of --config or MKT_CONFIG, which may not exist yet, and otherwise the
working directory. Files that exist are kept: if init is run a second time, it
creates what is missing.

Keep copies of both keys: without seal.key every credential must be entered
again, and with another id.key every id would change.`,
		Example:     `  mkt init /etc/mkt`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{cli.WithoutConfig: ""},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := filepath.Dir(g.Config)
			if len(args) == 1 {
				dir = args[0]
			}
			made, err := MakeFiles(dir)
			if err != nil {
				return fmt.Errorf("init: %w", err)
			}
			return g.printInit(dir, made)
		},
	}
}

type initFile struct {
	File string `json:"file"`
	Made bool   `json:"made"`
}

// MakeFiles creates the files of an installation that are missing in dir.
func MakeFiles(dir string) ([]initFile, error) {
	root, err := durable.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	seal, err := credential.NewIdentity()
	if err != nil {
		return nil, err
	}
	id := make([]byte, identity.KeySize)
	rand.Read(id) // never fails
	if err := idKeyMayBeMade(dir); err != nil {
		return nil, err
	}
	files := []struct {
		name    string
		mode    os.FileMode
		content []byte
		check   func(content []byte) error // checks the content of a file that is kept; nil: no check
	}{
		{"mkt.yaml", 0o644, InitConfig, nil},
		{"tenants.yaml", 0o644, accounts.SealText(initTenants, 0), nil},
		{"seal.key", 0o600, seal.File(), func(b []byte) error { _, err := credential.ParseIdentity(b); return err }},
		{"id.key", 0o600, id, func(b []byte) error { _, err := identity.ParseKey(b); return err }},
	}
	var made []initFile
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := durable.RemoveTempsOf(root, f.name); err != nil { // left by an init that was killed
			return nil, err
		}
		if f.check != nil {
			if err := checkKept(path, f.check); err != nil {
				return nil, err
			}
		}
		err := durable.WriteOnce(path, f.mode, f.content)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		made = append(made, initFile{path, err == nil})
	}
	return made, root.SyncDir(".")
}

// checkKept checks a file that is kept. One that this user may not read is kept.
func checkKept(path string, check func([]byte) error) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err == nil {
		err = check(content)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: restore it from a copy, or remove it if it was never used, then run init again", path, err)
	}
	return nil
}

// idKeyMayBeMade returns an error if dir has data but no id key: a new key would change every id.
func idKeyMayBeMade(dir string) error {
	key, mark := filepath.Join(dir, "id.key"), filepath.Join(cli.DataRootIn(dir), layout.IDKeyFingerprintFile)
	_, noKey := os.Stat(key)
	_, noData := os.Stat(mark)
	if errors.Is(noKey, fs.ErrNotExist) && noData == nil {
		return fmt.Errorf("%s is missing, and %s was made with it: restore the key from a copy; a new one would change every id", key, filepath.Dir(mark))
	}
	return nil
}

func (g *Group) printInit(dir string, files []initFile) error {
	if g.JSON() {
		return g.Encode(map[string]any{"dir": dir, "files": files})
	}
	for _, f := range files {
		word := "created"
		if !f.Made {
			word = "kept"
		}
		fmt.Fprintf(g.Out, "%-7s  %s\n", word, f.File)
	}
	root := cli.DataRootIn(dir)
	if info, err := os.Stat(root); err == nil && info.Mode().Perm()&0o005 == 0o005 {
		fmt.Fprintf(g.Out, "\nEvery user of this machine may read the data root; this ends it:\n\n  chmod o-rwx %s\n", terminal.Quote(root))
	}
	in := ""
	if dir != "." {
		in = "  cd " + terminal.Quote(dir) + "\n"
	}
	_, err := fmt.Fprint(g.Out, strings.NewReplacer("IN", in, "MKT", terminal.Self(), "PROVIDERS", strings.Join(accounts.ConnectionNames(), ", ")).Replace(`
Keep a copy of both keys. Next, for an account with the id acme:

IN  MKT tenant add acme --product market_engine
  MKT provider set acme --provider betsapi
  MKT cycle --tenant acme
  MKT serve

The providers are PROVIDERS. The second command
asks for the credential. "mkt doctor" says what is missing or wrong.
`))
	return err
}
