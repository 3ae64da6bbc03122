package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mkt/fetch/credential"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/serve/account"
	"mkt/transform/identity"
)

// key checks a key file: its existence and its readers. It returns its content, or nil.
func (d *doctor) key(code, path, missing string) []byte {
	at := place{file: path}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.bad(Fail, code+"_MISSING", "keys", at, missing, "there is no such file")
		return nil
	}
	if err == nil && durable.Exposed(info, os.Geteuid()) != 0 {
		d.bad(Fail, code+"_MODE", "keys", at, "chmod 600 "+terminal.Quote(path), "mode %04o: other users may read or write it", info.Mode().Perm())
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(path)
	}
	if err != nil {
		d.bad(Fail, code+"_UNREADABLE", "keys", at, "run doctor as the owner of the key, or with --serving on a host that only serves", "%v", err)
		return nil
	}
	return content
}

// sealKey checks the sealing key, and opens every sealed credential with it.
func (d *doctor) sealKey() {
	sealed := 0
	if d.file != nil {
		for i := range d.file.Tenants {
			if d.file.Tenants[i].Provider != nil {
				sealed++
			}
		}
	}
	missing := d.mkt("init " + terminal.Quote(filepath.Dir(d.SealKey)))
	if sealed > 0 {
		missing = "restore it from your copy; without one: " + missing + "; then for every tenant: " + d.mkt("provider set")
	}
	content := d.key("SEAL_KEY", d.SealKey, missing)
	if content == nil {
		return
	}
	key, err := credential.ParseIdentity(content)
	if err != nil {
		d.bad(Fail, "SEAL_KEY_INVALID", "keys", place{file: d.SealKey}, "restore it from your copy", "%v", err)
		return
	}
	d.ok("keys", place{file: d.SealKey}, "sealing key %s", key.Recipient())
	d.credentials(key)
}

func (d *doctor) credentials(key credential.Identity) {
	if d.file == nil {
		return
	}
	for i := range d.file.Tenants {
		t := &d.file.Tenants[i]
		if t.Provider == nil || t.Status == account.Revoked {
			continue
		}
		at := place{tenant: t.ID, file: d.Tenants}
		fix := d.connect(t)
		switch _, err := credential.Open(key, t.Provider.Credential, t.ID, t.Provider.Name); {
		case errors.Is(err, credential.ErrMoved):
			d.bad(Fail, "CREDENTIAL_MOVED", "keys", at, fix, "the credential was sealed for another tenant or provider: it was copied")
		case err != nil:
			d.bad(Fail, "CREDENTIAL_SEALED", "keys", at, fix, "the credential cannot be opened with %s: it was sealed with another key, or changed", d.SealKey).
				causedBy("sealing key", "restore the sealing key from your copy as "+terminal.Quote(d.SealKey)+"; without one, for each of these accounts: "+d.mkt("provider set"))
		default:
			d.ok("keys", at, "the credential %s can be opened", t.Provider.Hint)
		}
	}
}

// identityKey checks the id key, also against the fingerprint in the data root.
func (d *doctor) identityKey() {
	data, _ := os.ReadFile(filepath.Join(d.Data, layout.IDKeyFingerprintFile))
	was := layout.ParseIDKeyFingerprint(data) // a missing or damaged one is recorded again
	missing := d.mkt("init " + terminal.Quote(filepath.Dir(d.IDKey)))
	if was != "" {
		missing = "restore it from your copy: the data was made with it, and another one changes every id"
	}
	content := d.key("ID_KEY", d.IDKey, missing)
	if content == nil {
		return
	}
	at := place{file: d.IDKey}
	key, err := identity.ParseKey(content)
	if err != nil {
		d.bad(Fail, "ID_KEY_INVALID", "keys", at, "restore it from your copy", "%v", err)
		return
	}
	d.idKey = key.Fingerprint()
	if was != "" && was != d.idKey {
		d.bad(Fail, "ID_KEY_OTHER", "keys", at, "restore the key with the fingerprint "+was+", or begin a new data root",
			"its fingerprint is %s, and the data was made with %s", d.idKey, was).causedBy("id key "+was, "")
		return
	}
	d.ok("keys", at, "id key %s", d.idKey)
}
