package durable_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"mkt/publish/durable"
)

// TestMain is also the process that holds a lock until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("DURABLE_TEST_HOLD"); dir != "" {
		hold(dir)
	}
	os.Exit(m.Run())
}

func hold(dir string) {
	var lock io.Closer
	disk, err := durable.OpenRoot(dir)
	if err == nil {
		lock, err = disk.Lock("lock")
	}
	fmt.Println(err)
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed; select{} would be a deadlock, at which the runtime ends the process
	runtime.KeepAlive(lock)
	os.Exit(0)
}

// P5: a lock that another process holds is refused at once, and is free as soon as that
// process is killed.
func TestLockOfAKilledProcess(t *testing.T) {
	tries := 100
	if testing.Short() {
		tries = 5
	}
	dir := t.TempDir()
	disk, err := durable.OpenRoot(dir)
	must(t, err)
	for range tries {
		holder := exec.Command(os.Args[0])
		holder.Env = append(os.Environ(), "DURABLE_TEST_HOLD="+dir)
		_, err := holder.StdinPipe()
		must(t, err)
		out, err := holder.StdoutPipe()
		must(t, err)
		must(t, holder.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
			t.Fatalf("holder: %q, %v", line, err)
		}
		if _, err := disk.Lock("lock"); !errors.Is(err, durable.ErrLocked) {
			t.Fatalf("lock that is held: %v", err)
		}
		must(t, holder.Process.Kill())
		holder.Wait()
		held, err := disk.Lock("lock")
		must(t, err)
		must(t, held.Close())
	}
}

// A folder that was deleted while it was open can neither be locked nor written to, and does not come back.
func TestLockInADeletedFolder(t *testing.T) {
	data, err := durable.OpenRoot(t.TempDir())
	must(t, err)
	root, err := data.MakeWithin("account/product")
	must(t, err)
	held, err := root.Lock("lock")
	must(t, err)
	must(t, data.RemoveAll("account"))
	for name, err := range map[string]error{
		"create": durable.Create(root, "file", durable.Bytes([]byte("x"))), "mkdir": durable.MkdirAllSync(root, "folder"),
		"overwrite": durable.Overwrite(root, "state", []byte("x")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	must(t, held.Close())
	if _, err := root.Lock("lock"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if there, err := durable.Exists(data, "account"); err != nil || there {
		t.Errorf("it is back: %v", err)
	}
}

// A process that was just started has the files of the one that started it, until it runs its own program.
// It does not keep a lock that was released meanwhile.
func TestLockOfAStartedProcess(t *testing.T) {
	disk, err := durable.OpenRoot(t.TempDir())
	must(t, err)
	held, err := disk.Lock("lock")
	must(t, err)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // without /proc there is no copy to make
	}
	copied := false
	for _, f := range files {
		if name, _ := os.Readlink("/proc/self/fd/" + f.Name()); filepath.Base(name) == "lock" {
			fd, err := strconv.Atoi(f.Name())
			must(t, err)
			other, err := syscall.Dup(fd)
			must(t, err)
			defer syscall.Close(other)
			copied = true
		}
	}
	if !copied {
		t.Fatal("the lock is no open file")
	}
	must(t, held.Close())
	again, err := disk.Lock("lock")
	must(t, err)
	must(t, again.Close())
}
