package commitlog_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"
	"time"

	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/storetest"
	"mkt/publish/durable"
)

// unpack writes the files of archives of the backup, as tar does.
func unpack(t *testing.T, bucket object.Bucket) *durabletest.Mem {
	t.Helper()
	disk := durabletest.NewMem()
	var names []string
	for from, more := (object.Listing{Prefix: "log/"}), true; more; more = from.Token != "" {
		page, err := bucket.List(context.Background(), from)
		check.Must(t, err)
		for _, o := range page.Objects {
			names = append(names, o.Key)
		}
		from.Token = page.Next
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".tar") {
			continue
		}
		r, _, err := bucket.Read(context.Background(), name)
		check.Must(t, err)
		data, err := io.ReadAll(r)
		check.Must(t, err)
		for in := tar.NewReader(bytes.NewReader(data)); ; {
			h, err := in.Next()
			if err == io.EOF {
				break
			}
			check.Must(t, err)
			content, err := io.ReadAll(in)
			check.Must(t, err)
			check.Must(t, durable.MkdirAllSync(disk, path.Dir(h.Name)))
			check.Must(t, durable.Overwrite(disk, h.Name, content))
		}
	}
	return disk
}

// The backup is the whole log, whatever its size. One that was interrupted is completed by the next one.
func TestBackupOfTheLog(t *testing.T) {
	key := testKey(t)
	records := func(from, n int) (list []transparency.Record) {
		for v := from + 1; v <= from+n; v++ {
			list = append(list, transparency.Record{ClientID: "acme", Product: "market_engine", Version: uint64(v), CommitSHA256: durable.Hash(fmt.Append(nil, v)),
				PublishedAt: time.Date(2026, 11, 29, 9, 0, v, 0, time.UTC)})
		}
		return list
	}
	disk, bucket := durabletest.NewMem(), storetest.NewMemory()
	l, err := transparency.Open(disk, key)
	check.Must(t, err)
	size := 0
	steps := []int{1, 254, 1, 1, 700}
	if !testing.Short() {
		steps = append(steps, 65_000, 400) // a full tile of the second level
	}
	for i, n := range steps {
		head, err := l.Append(records(size, n))
		check.Must(t, err)
		size += n
		if i == 2 {
			bucket.Fail(&object.Error{Kind: object.Denied})
		}
		err = commitlog.BackUp(t.Context(), store.New(bucket, store.Options{}).Log(), disk, head)
		if bucket.Fail(nil); i == 2 {
			if !errors.Is(err, object.ErrRefused) {
				t.Fatal(err)
			}
			continue
		}
		check.Must(t, err)
		signed, err := store.New(bucket, store.Options{}).Log().Head(t.Context())
		check.Must(t, err)
		if string(signed) != string(head.Note) {
			t.Fatalf("size %d: the copied head is %q", size, signed)
		}

		whole, err := transparency.OpenView(unpack(t, bucket), key.VerifierKey())
		check.Must(t, err)
		audited, err := whole.Audit(head.Checkpoint, nil, func(int64, *transparency.Record) {})
		if err = errors.Join(append(audited.Faults, err)...); err != nil || !audited.Leaves || audited.Entries != int64(size) {
			t.Fatalf("size %d: the backup has %d entries, leaves %t: %v", size, audited.Entries, audited.Leaves, err)
		}
	}
}
