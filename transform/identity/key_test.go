package identity_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mkt/internal/testing/check"
	"mkt/transform/identity"
)

func testKey() identity.Key {
	var k identity.Key
	for i := range k {
		k[i] = byte(i + 1)
	}
	return k
}

func TestLoadKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "id.key")
	want := testKey()
	check.Must(t, os.WriteFile(path, want[:], 0o600))
	got, err := identity.LoadKey(path)
	if err != nil || got != want {
		t.Fatalf("loaded %v, %v", got, err)
	}
	for _, c := range []struct {
		name, says string
		bytes      []byte
	}{
		{"empty", "found 0", nil},
		{"short", "found 31", want[:31]},
		{"newline at the end", "found more", append(want[:], '\n')},
		{"zeros", "only zeros", make([]byte, 32)},
	} {
		t.Run(c.name, func(t *testing.T) {
			check.Must(t, os.WriteFile(path, c.bytes, 0o600))
			_, err := identity.LoadKey(path)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want it to name %s and say %q", err, path, c.says)
			}
		})
	}
	for mode, private := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o602: false} {
		check.Must(t, errors.Join(os.WriteFile(path, want[:], 0o600), os.Chmod(path, mode)))
		if _, err := identity.LoadKey(path); (err == nil) != private || err != nil && !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
	if _, err := identity.LoadKey(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "mkt init") {
		t.Errorf("missing file: %v", err)
	}
}

func TestKeyNeverPrints(t *testing.T) {
	k := testKey()
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
		fmt.Fprintf(&out, verb+"\n", k)
		fmt.Fprintf(&out, verb+"\n", struct{ K identity.Key }{k})
	}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "key", k)
	check.Must(t, json.NewEncoder(&out).Encode(map[string]any{"key": k}))
	for _, secret := range []string{"010203", "1 2 3", "1, 2, 3", "0x1", "\x01\x02\x03", "AQID", "[1,2,3"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("output holds %q:\n%s", secret, out.String())
		}
	}
}
