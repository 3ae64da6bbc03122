package main

import (
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/credential"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/transform/identity"
)

//go:embed init/mkt.yaml
var initConfig []byte

//go:embed init/tenants.yaml
var initTenants []byte

func newInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make mkt.yaml, tenants.yaml and the two keys",
		Long: `Make mkt.yaml, tenants.yaml, seal.key and id.key in DIR (default: the folder
of --config or MKT_CONFIG, which may be missing yet; else here).
What is there already is kept: running it again mends what is missing.
Keep copies of both keys: without seal.key the credentials must be entered
anew, and with another id.key every id would change.`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{withoutConfig: ""},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := filepath.Dir(a.config)
			if len(args) == 1 {
				dir = args[0]
			}
			made, err := initDir(dir)
			if err != nil {
				return fmt.Errorf("init: %w", err)
			}
			return a.printInit(dir, made)
		},
	}
}

// initFile is one file of a new installation and whether init made it.
type initFile struct {
	File string `json:"file"`
	Made bool   `json:"made"`
}

// initDir makes what is missing of an installation in dir.
func initDir(dir string) ([]initFile, error) {
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
	}{
		{"mkt.yaml", 0o644, initConfig},
		{"tenants.yaml", 0o644, tenants.SealText(initTenants, 0)},
		{"seal.key", 0o600, seal.File()},
		{"id.key", 0o600, id},
	}
	var made []initFile
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		err := writeOnce(path, f.mode, f.content)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		made = append(made, initFile{path, err == nil})
	}
	return made, root.SyncDir(".")
}

// idKeyMayBeMade refuses a new id key for data that was made with another.
func idKeyMayBeMade(dir string) error {
	key, mark := filepath.Join(dir, "id.key"), filepath.Join(dataRootOf(dir), layout.IDKeyFingerprintFile)
	_, noKey := os.Stat(key)
	_, noData := os.Stat(mark)
	if errors.Is(noKey, fs.ErrNotExist) && noData == nil {
		return fmt.Errorf("%s is missing, and %s was made with it: restore the key from a copy; a new one would change every id", key, filepath.Dir(mark))
	}
	return nil
}

// dataRootOf is the data root of the installation in dir, which may be a new one.
func dataRootOf(dir string) string {
	root := "data"
	config := newSettings()
	if file, err := os.Open(filepath.Join(dir, "mkt.yaml")); err == nil {
		defer file.Close()
		if config.v.ReadConfig(file) == nil && config.v.GetString("data") != "" {
			root = config.v.GetString("data")
		}
	}
	if filepath.IsAbs(root) {
		return root
	}
	return filepath.Join(dir, root)
}

// writeOnce makes a file that must not exist. It is not durable.Create because
// a key must have its mode from its first byte.
func writeOnce(path string, mode os.FileMode, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(path) // half a key must not be taken for one
	}
	return err
}

func (a *app) printInit(dir string, files []initFile) error {
	if a.json() {
		return json.NewEncoder(a.out).Encode(map[string]any{"dir": dir, "files": files})
	}
	for _, f := range files {
		word := "made"
		if !f.Made {
			word = "kept"
		}
		fmt.Fprintf(a.out, "%s  %s\n", word, f.File)
	}
	in := ""
	if dir != "." {
		in = "cd " + dir + " && "
	}
	_, err := fmt.Fprintf(a.out, `
Keep a copy of both keys. Next:
  %smkt tenant add ID --product market_engine
  mkt provider set ID --provider betsapi        reads the credential from the terminal
  mkt cycle --tenant ID
  mkt serve
`, in)
	return err
}
