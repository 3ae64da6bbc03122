package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mkt/internal/listen"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/receipts/witness"
	"mkt/publish/durable"
)

// The demo is its own witness, which shows how receipts look and proves nothing to others.
const (
	logName     = "demo.example/prices"
	witnessName = "witness.demo.example"
	logWait     = 5 * time.Second // for the witness
)

// makeLog creates the key of a transparency log in the folder, and a witness of it that runs until ctx ends; then stopped gets
// a value. An earlier demo's keys in the folder are used again. The policy has the witness's new address.
func (g *Group) makeLog(ctx context.Context, f *demoFlags) (stopped <-chan error, err error) {
	f.log = commitlog.Files{Key: filepath.Join(f.dir, "log.key"), Policy: filepath.Join(f.dir, "policy.txt")}
	key, err := logKey(f.log.Key)
	if err != nil {
		return nil, err
	}
	private, err := witnessKey(filepath.Join(f.dir, "witness.key"))
	if err != nil {
		return nil, err
	}
	root, err := durable.OpenRoot(filepath.Join(f.dir, "witness"))
	if err != nil {
		return nil, err
	}
	w, err := witness.New(witness.Options{Root: root, Key: strings.TrimSpace(string(private)), Logs: []string{key.VerifierKey()}, Now: g.Now, Log: g.Log})
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, w.Close(), root.Close())
	}
	done := make(chan error, 1)
	go func() {
		served := listen.ServeUntil(ctx, &http.Server{Handler: w, ReadHeaderTimeout: logWait}, l, time.Second)
		done <- errors.Join(served, w.Close(), root.Close())
	}()
	policy := fmt.Sprintf("log %s\nwitness demo %s http://%s\nquorum demo\n", key.VerifierKey(), w.VerifierKey(), l.Addr())
	err = os.WriteFile(f.log.Policy, []byte(policy), 0o644)
	if err == nil {
		err = namePolicy(filepath.Join(f.dir, "mkt.yaml"))
	}
	return done, err
}

// namePolicy names the policy in the settings, for commands that are pasted into another terminal.
func namePolicy(settings string) error {
	text, err := os.ReadFile(settings)
	if err != nil || bytes.Contains(text, []byte("\nlog_policy:")) {
		return err
	}
	return os.WriteFile(settings, append(text, "\nlog_policy: policy.txt\n"...), 0o644)
}

func logKey(path string) (*transparency.Key, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		text, err := transparency.NewKey(rand.Reader, logName)
		if err != nil {
			return nil, err
		}
		key, err := transparency.ParseKey(text)
		if err != nil {
			return nil, err
		}
		return key, commitlog.WriteKey(path, text, key.VerifierKey())
	}
	return commitlog.LoadKey(path)
}

func witnessKey(path string) ([]byte, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		text, verifier, err := commitlog.NewWitnessKey(witnessName)
		if err != nil {
			return nil, err
		}
		return text, commitlog.WriteKey(path, text, verifier)
	}
	return commitlog.ReadSecret("key of the witness", path, "mkt demo")
}
