package credential_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mkt/fetch/credential"
)

const canary = "CANARY-s3cret/+&=\"<token>-0123456789"

func identity(t testing.TB) credential.Identity {
	t.Helper()
	i, err := credential.NewIdentity()
	must(t, err)
	return i
}

func TestSealedOpensForItsOwnerOnly(t *testing.T) {
	key := identity(t)
	sealed, err := credential.Seal(key.Recipient(), "acme", "betsapi", []byte(canary+"\r\n"))
	must(t, err)
	if strings.Contains(sealed, "CANARY") || !strings.HasPrefix(sealed, "-----BEGIN AGE ENCRYPTED FILE-----") {
		t.Fatalf("sealed text: %s", sealed)
	}
	secret, err := credential.Open(key, sealed, "acme", "betsapi")
	must(t, err)
	if secret.Reveal() != canary {
		t.Errorf("opened %q", secret.Reveal())
	}
	middle := len(sealed) / 2
	cases := []struct {
		name, sealed, account, provider string
		key                             credential.Identity
		want                            error
	}{
		{"another account", sealed, "other", "betsapi", key, credential.ErrMoved},
		{"another provider", sealed, "acme", "sportmonks", key, credential.ErrMoved},
		{"another key", sealed, "acme", "betsapi", identity(t), credential.ErrSealed},
		{"no key", sealed, "acme", "betsapi", credential.Identity{}, credential.ErrSealed},
		{"empty", "", "acme", "betsapi", key, credential.ErrSealed},
		{"in clear", canary, "acme", "betsapi", key, credential.ErrSealed},
		{"changed", sealed[:middle] + flip(sealed[middle]) + sealed[middle+1:], "acme", "betsapi", key, credential.ErrSealed},
		{"cut", sealed[:middle], "acme", "betsapi", key, credential.ErrSealed},
		{"doubled", sealed + sealed, "acme", "betsapi", key, credential.ErrSealed},
		{"huge", strings.Repeat("A", 1<<20), "acme", "betsapi", key, credential.ErrSealed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := credential.Open(c.key, c.sealed, c.account, c.provider)
			if !errors.Is(err, c.want) || !got.Empty() {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if strings.Contains(fmt.Sprint(err), "CANARY") {
				t.Errorf("the error reveals the credential: %v", err)
			}
		})
	}
}

func flip(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

// The account's and the provider's name cannot run into each other, nor into
// the credential.
func TestNamesDoNotRunTogether(t *testing.T) {
	key := identity(t)
	sealed, err := credential.Seal(key.Recipient(), "ab", "c", []byte("some-credential"))
	must(t, err)
	for _, names := range [][2]string{{"a", "bc"}, {"ab\nc", ""}, {"", "ab\nc"}, {"ab", "c\nsome"}} {
		if _, err := credential.Open(key, sealed, names[0], names[1]); !errors.Is(err, credential.ErrMoved) {
			t.Errorf("%q: %v", names, err)
		}
	}
	if _, err := credential.Seal(key.Recipient(), "a\nb", "c", []byte("x")); err == nil {
		t.Error("an account's name of two lines is sealed")
	}
}

func TestFingerprintSurvivesEditing(t *testing.T) {
	key := identity(t)
	sealed, err := credential.Seal(key.Recipient(), "acme", "betsapi", []byte(canary))
	must(t, err)
	again, err := credential.Seal(key.Recipient(), "acme", "betsapi", []byte(canary))
	must(t, err)
	edited := "\n" + strings.ReplaceAll(strings.TrimSpace(sealed), "\n", "\r\n")
	if credential.Fingerprint(edited) != credential.Fingerprint(sealed) {
		t.Error("line ends change the fingerprint")
	}
	if _, err := credential.Open(key, edited, "acme", "betsapi"); err != nil {
		t.Errorf("edited text: %v", err)
	}
	if credential.Fingerprint(again) == credential.Fingerprint(sealed) {
		t.Error("two sealings look alike")
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		name, pasted, want string
		ok                 bool
	}{
		{"plain", "12345-AbCdEf", "12345-AbCdEf", true},
		{"newline behind", "token\n", "token", true},
		{"white space around", " \ttoken \r\n\r\n", "token", true},
		{"space inside", "two words", "two words", true},
		{"empty", " \n", "", false},
		{"newline inside", "to\nken", "", false},
		{"tab inside", "to\tken", "", false},
		{"nul", "to\x00ken", "", false},
		{"escape", "\x1b[31mtoken", "", false},
		{"byte order mark", "\ufefftoken", "", false},
		{"zero width space", "tok\u200ben", "", false},
		{"no-break space", "to\u00a0ken", "", false},
		{"not text", "to\xffken", "", false},
		{"too long", strings.Repeat("x", credential.MaxLength+1), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := credential.Clean([]byte(c.pasted))
			if got != c.want || (err == nil) != c.ok {
				t.Errorf("got %q, %v", got, err)
			}
			if err != nil && strings.Contains(err.Error(), "tok") {
				t.Errorf("the error reveals the credential: %v", err)
			}
		})
	}
}

func TestHintShowsFourAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z0-9-]{0,40}`).Draw(t, "secret")
		hint := strings.TrimPrefix(credential.Hint(secret), "****")
		if n := utf8.RuneCountInString(hint); n > 4 || len(secret) < 12 && n > 0 || !strings.HasSuffix(secret, hint) {
			t.Fatalf("hint of %q: %q", secret, hint)
		}
	})
}

// A key with an older one seals to both: the holder of either can open it, and texts
// sealed before can be opened as well.
func TestOlderKey(t *testing.T) {
	older, newer, other := identity(t), identity(t), identity(t)
	before, err := credential.Seal(older.Recipient(), "acme", "betsapi", []byte(canary))
	must(t, err)
	both, err := credential.ParseIdentity(append(newer.File(), older.File()...))
	must(t, err)
	if both.Older() != 1 || both.Recipient().String() != newer.Recipient().String() {
		t.Errorf("%d older keys, recipient %s", both.Older(), both.Recipient())
	}
	meanwhile, err := credential.Seal(both.Recipient(), "acme", "betsapi", []byte(canary))
	must(t, err)
	after, err := credential.Seal(newer.Recipient(), "acme", "betsapi", []byte(canary))
	must(t, err)
	for _, c := range []struct {
		name, sealed string
		with         credential.Identity
		opens        bool
	}{
		{"before, both", before, both, true},
		{"before, newer", before, newer, false},
		{"meanwhile, both", meanwhile, both, true},
		{"meanwhile, older", meanwhile, older, true},
		{"meanwhile, newer", meanwhile, newer, true},
		{"meanwhile, another", meanwhile, other, false},
		{"after, both", after, both, true},
		{"after, older", after, older, false},
		{"after, newer", after, newer, true},
	} {
		if _, err := credential.Open(c.with, c.sealed, "acme", "betsapi"); (err == nil) != c.opens || err != nil && !errors.Is(err, credential.ErrSealed) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", both, both, both, both); strings.Contains(printed, "SECRET-KEY") {
		t.Errorf("printed as %s", printed)
	}
}

func TestLoadIdentity(t *testing.T) {
	key := identity(t)
	path := filepath.Join(t.TempDir(), "seal.key")
	must(t, os.WriteFile(path, key.File(), 0o600))
	loaded, err := credential.LoadIdentity(path)
	must(t, err)
	if loaded.Recipient().String() != key.Recipient().String() {
		t.Error("another key was loaded")
	}
	sealed, err := credential.Seal(key.Recipient(), "acme", "betsapi", []byte(canary))
	must(t, err)
	if _, err := credential.Open(loaded, sealed, "acme", "betsapi"); err != nil {
		t.Error(err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o644} {
		must(t, os.Chmod(path, mode))
		if _, err := credential.LoadIdentity(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	if _, err := credential.LoadIdentity(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing key: %v", err)
	}
	for _, content := range []string{"", "# nothing\n", "AGE-SECRET-KEY-1QQQ", strings.Repeat(string(key.File()), 9)} {
		if _, err := credential.ParseIdentity([]byte(content)); err == nil || strings.Contains(err.Error(), "QQQ") {
			t.Errorf("%.20q…: %v", content, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	key := identity(f)
	sealed, err := credential.Seal(key.Recipient(), "acme", "betsapi", []byte(canary))
	must(f, err)
	f.Add(sealed)
	f.Add("-----BEGIN AGE ENCRYPTED FILE-----\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := credential.Open(key, text, "acme", "betsapi"); err == nil && s.Reveal() != canary {
			t.Fatalf("opened something that was never sealed")
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
