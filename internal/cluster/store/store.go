package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Options of a store.
type Options struct {
	// URL is the address: s3://bucket/prefix?region=…&endpoint=…. Credentials are those of the
	// environment, as the tools of the store find them, and never in the address.
	URL string
	Now func() time.Time // nil = time.Now
	Log *slog.Logger     // nil = discarded
}

// Store is an object store. Safe for concurrent use.
type Store struct {
	objects object.Set
	now     func() time.Time
	log     *slog.Logger
	Stats   *object.Stats
	// newest has a commit of the store, by prefix of a dataset (see known). It saves looking up
	// the commit before the next publication.
	newest    sync.Map
	keyAgreed atomic.Bool // see SyncIDKey
	shipped   sync.Map    // name of an archive of state files → hash of the stored one
}

// Open opens a store. It sends no request: see [Store.Probe].
func Open(ctx context.Context, o Options) (*Store, error) {
	address, prefix, err := split(o.URL)
	if err != nil {
		return nil, err
	}
	open, ok := object.DriverOf(address.Scheme)
	if !ok {
		return nil, fmt.Errorf("store %s: this program has no driver for %s", Redact(o.URL), address.Scheme)
	}
	bucket, err := open(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("store %s: the address or the credential in the environment is not valid: %w", Redact(o.URL), cleaned(err, address.String()))
	}
	if prefix != "" {
		prefix += "/"
	}
	return newStore(object.Set{Bucket: bucket, Prefix: prefix, Stats: new(object.Stats)}, o), nil
}

// New returns a store in an open bucket.
func New(bucket object.Bucket, o Options) *Store {
	return newStore(object.Set{Bucket: bucket, Stats: new(object.Stats)}, o)
}

func newStore(in object.Set, o Options) *Store {
	s := &Store{objects: in, now: o.Now, log: o.Log, Stats: in.Stats}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Close frees the connections of the store.
func (s *Store) Close() error { return s.objects.Bucket.Close() }

// CheckURL checks the form of an address.
func CheckURL(text string) error {
	_, _, err := split(text)
	return err
}

// split separates the prefix of the objects' names from an address.
func split(text string) (address *url.URL, prefix string, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, "", errors.New("store: not an address: want a form like s3://bucket/prefix?region=eu-central-1")
	}
	switch {
	case u.Scheme != "s3":
		return nil, "", fmt.Errorf("store %s: want an address that begins with s3://", Redact(text))
	case u.Host == "":
		return nil, "", fmt.Errorf("store %s: the bucket is missing: want a form like s3://bucket/prefix", Redact(text))
	case u.User != nil:
		return nil, "", fmt.Errorf("store %s: a credential may not be in the address: put it into the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)", Redact(text))
	}
	prefix = strings.Trim(u.Path, "/")
	if prefix != "" && path.Clean(prefix) != prefix {
		return nil, "", fmt.Errorf("store %s: the prefix may not contain an empty part, nor . or .. as one", Redact(text))
	}
	u.Path = ""
	return u, prefix, nil
}

// Redact returns an address without a credential and without its query.
func Redact(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(not an address)"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// cleaned removes an address from the text of an error.
func cleaned(err error, address string) error {
	text := strings.ReplaceAll(err.Error(), address, Redact(address))
	if u, _ := url.Parse(address); u != nil && u.RawQuery != "" {
		text = strings.ReplaceAll(text, "?"+u.RawQuery, "")
		text = strings.ReplaceAll(text, u.RawQuery, "(the parameters)")
	}
	return errors.New(text)
}

// SyncIDKey makes a data root and the store agree on the fingerprint of the key for ids: if only
// one of them has a fingerprint, it is copied to the other, also in place of a damaged one. Two keys
// would make two ids for one fixture. It asks the store once.
func (s *Store) SyncIDKey(ctx context.Context, data durable.FS) error {
	if s.keyAgreed.Load() {
		return nil
	}
	const name, most = layout.IDKeyFingerprintFile, 4096
	text, err := durable.ReadFile(data, name, most)
	isMissingHere := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isMissingHere {
		return err
	}
	here := layout.ParseIDKeyFingerprint(text)
	stored, err := s.objects.Get(ctx, name)
	isMissingThere := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isMissingThere {
		return err
	}
	err = nil
	switch there := layout.ParseIDKeyFingerprint(stored); {
	case here == "" && there == "":
		return nil // the first cycle makes it
	case here == "" && isMissingHere:
		err = durable.CreateAgain(data, name, durable.Bytes(stored))
	case here == "":
		err = durable.Overwrite(data, name, stored)
	case isMissingThere:
		if err = s.objects.Create(ctx, name, text); errors.Is(err, snapshot.ErrConflict) {
			err = errOtherKey
		}
	case there == "":
		err = s.objects.Put(ctx, name, durable.Bytes(text))
	case here != there:
		err = errOtherKey
	}
	if err == nil {
		s.keyAgreed.Store(true)
	}
	return err
}

var errOtherKey = errors.New("the object store was written with another id key than this data root: use the same id key on every machine, or give this installation a prefix of its own")

// Dataset returns one product of an account.
func (s *Store) Dataset(clientID string, p football.Product) *Dataset {
	return &Dataset{store: s, clientID: clientID, product: p, dir: layout.TenantProduct(clientID, string(p)) + "/"}
}

// Dataset is one product of an account in the store. Safe for concurrent use, but only one
// goroutine may work on one root.
type Dataset struct {
	store    *Store
	clientID string
	product  football.Product
	dir      string // prefix of its objects' names, with a slash at its end
}

// Datasets lists the accounts and products in the store.
func (s *Store) Datasets(ctx context.Context) ([]*Dataset, error) {
	var list []*Dataset
	err := s.objects.List(ctx, "client_id=", "/", func(account object.Object) (bool, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(account.Key, "client_id="), "/")
		if !account.IsPrefix || !layout.ValidTenantID(id) {
			return true, nil
		}
		return true, s.objects.List(ctx, account.Key+"product=", "/", func(o object.Object) (bool, error) {
			if o.IsPrefix {
				list = append(list, s.Dataset(id, football.Product(strings.TrimSuffix(strings.TrimPrefix(o.Key, account.Key+"product="), "/"))))
			}
			return true, nil
		})
	})
	return list, err
}

// ClientID is the account.
func (d *Dataset) ClientID() string { return d.clientID }

// Product is the product.
func (d *Dataset) Product() football.Product { return d.product }

// String names the dataset in messages.
func (d *Dataset) String() string { return d.clientID + " " + string(d.product) }
