package servers

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

// Bucket is the only bucket of every store.
const Bucket = "mkt"

const (
	region     = "us-east-1"
	healthPath = "/healthz"
	startLimit = 30 * time.Second
)

// A Store is an S3 object store: versitygw over a folder. It runs in a process of its own,
// because versitygw changes the working directory and allows one instance a process.
type Store struct {
	Dir            string // the folder of all buckets; an object is the file of its name
	Address        string // host and port, the same after every Start
	Access, Secret string

	mu      sync.Mutex
	process *exec.Cmd
	input   io.Closer     // the process ends when it is closed
	ended   chan struct{} // closed when the process has ended
	output  *tail
}

// storeVariable makes a program with this package a store. Its value is the address; the other
// variables have the folder and the keys.
const (
	storeVariable       = "MKT_CLUSTER_STORE"
	storeDirVariable    = "MKT_CLUSTER_STORE_DIR"
	storeAccessVariable = "MKT_CLUSTER_STORE_ACCESS"
	storeSecretVariable = "MKT_CLUSTER_STORE_SECRET"
)

// A store is the program itself, started again: tests need not build another one.
func init() {
	address := os.Getenv(storeVariable)
	if address == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	go func() { // The standard input ends with the process that started this one.
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	err := RunStore(ctx, os.Getenv(storeDirVariable), address, os.Getenv(storeAccessVariable), os.Getenv(storeSecretVariable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// StartStore starts a store over a folder, which it makes if necessary, and returns when the
// store answers. The earlier content of the folder is in the store.
func StartStore(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &Store{Dir: dir, Address: address, Access: "test-" + rand.Text()[:8], Secret: rand.Text()}
	return s, s.Start()
}

// Another returns a second store process over the same folder with the same keys: two
// gateways in front of one set of files.
func (s *Store) Another() (*Store, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	other := &Store{Dir: s.Dir, Address: address, Access: s.Access, Secret: s.Secret}
	return other, other.Start()
}

// Start starts the store again at its address after Stop. It does nothing while the store runs.
func (s *Store) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		select {
		case <-s.ended:
		default:
			return nil
		}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), storeVariable+"="+s.Address, storeDirVariable+"="+s.Dir,
		storeAccessVariable+"="+s.Access, storeSecretVariable+"="+s.Secret)
	output := new(tail)
	cmd.Stderr = output
	// An interrupt of the terminal is for this program, whose other processes still need the store.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	s.process, s.input, s.ended, s.output = cmd, input, ended, output
	return s.await()
}

// await waits until the store answers.
func (s *Store) await() error {
	for deadline := time.Now().Add(startLimit); ; {
		answer, err := http.Get("http://" + s.Address + healthPath)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(answer.Status)
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the store at %s ended while it started: %s", s.Address, s.output)
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the store at %s does not answer: %w", s.Address, err)
		}
	}
}

// Stop kills the store. Its objects stay in the folder.
func (s *Store) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill()
	<-s.ended
	_ = s.input.Close()
	s.process = nil
}

// PID returns the id of the store's process, 0 if it does not run.
func (s *Store) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return 0
	}
	return s.process.Process.Pid
}

// URL returns the value of the setting store for a prefix of the bucket, which may be empty.
func (s *Store) URL(prefix string) string { return StoreURL(s.Address, prefix) }

// StoreURL returns the value of the setting store for a prefix of the bucket behind an address,
// such as the address of a [Proxy].
func StoreURL(address, prefix string) string {
	u := url.URL{Scheme: "s3", Host: Bucket, Path: prefix, RawQuery: url.Values{
		"region":         {region},
		"endpoint":       {"http://" + address},
		"use_path_style": {"true"},
	}.Encode()}
	if prefix != "" {
		u.Path = "/" + prefix
	}
	return u.String()
}

// Env returns the environment variables with the client's credential.
func (s *Store) Env() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + s.Access, "AWS_SECRET_ACCESS_KEY=" + s.Secret, "AWS_EC2_METADATA_DISABLED=true"}
}

// File returns the file of an object, for a test that damages it.
func (s *Store) File(key string) string {
	return filepath.Join(s.Dir, Bucket, filepath.FromSlash(key))
}

// RunStore runs a store in this process until the context ends, and makes its bucket first.
// It changes the working directory of the process.
func RunStore(ctx context.Context, dir, address, access, secret string) error {
	if err := os.MkdirAll(filepath.Join(dir, Bucket), 0o755); err != nil {
		return err
	}
	var attributes meta.MetadataStorer = meta.XattrMeta{}
	options := posix.PosixOpts{NewDirPerm: 0o755, Concurrency: 1000}
	if (meta.XattrMeta{}).Test(dir) != nil { // not every file system has extended attributes
		options.SideCarDir = filepath.Clean(dir) + ".attributes"
		if err := os.MkdirAll(options.SideCarDir, 0o755); err != nil {
			return err
		}
		sidecar, err := meta.NewSideCar(options.SideCarDir)
		if err != nil {
			return err
		}
		attributes = sidecar
	}
	files, err := posix.New(dir, attributes, options)
	if err != nil {
		return err
	}
	err = embedgw.RunVersityGW(ctx, files, &embedgw.Config{
		RootUserAccess: access, RootUserSecret: secret, Region: region,
		Ports: []string{address}, MaxConnections: 10_000, MaxRequests: 10_000, MultipartMaxParts: 10_000,
		HealthPath: healthPath, KeepAlive: true, Quiet: true,
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// tail keeps the end of a process's output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - 4096; extra > 0 {
		t.text = bytes.Clone(t.text[extra:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
