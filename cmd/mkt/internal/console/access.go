package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Access says who may read the pages.
type Access struct {
	// Hosts are the names, beside those of loopback, under which browsers reach the
	// console. A request with another name is refused: it comes from a site that lets
	// its own name point here.
	Hosts []string
	// Password, if it is not "", is asked for with HTTP Basic authentication. The user's
	// name does not matter.
	Password string
	// Certificate is served with TLS; nil for none.
	Certificate *tls.Certificate
}

// gate admits requests.
type gate struct {
	Access
	now      func() time.Time
	attempts attempts
}

// admits reports whether a request may be answered, and answers it if not.
func (a *gate) admits(w http.ResponseWriter, r *http.Request) bool {
	if !a.isOwnName(r.Host) {
		http.Error(w, "This console is not known by that name. mkt console --host NAME adds one.", http.StatusMisdirectedRequest)
		return false
	}
	if a.Password == "" {
		return true
	}
	_, password, given := r.BasicAuth()
	if given && !a.attempts.allowed(a.now()) {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "Too many wrong passwords. Try again in ten seconds.", http.StatusTooManyRequests)
		return false
	}
	want, got := sha256.Sum256([]byte(a.Password)), sha256.Sum256([]byte(password))
	if given && subtle.ConstantTimeCompare(want[:], got[:]) == 1 {
		return true
	}
	if given {
		a.attempts.failed(a.now())
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="mkt console", charset="UTF-8"`)
	http.Error(w, "The console asks for its password.", http.StatusUnauthorized)
	return false
}

func (a Access) isOwnName(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if ip, err := netip.ParseAddr(name); name == "localhost" || err == nil && ip.IsLoopback() {
		return true
	}
	for _, own := range a.Hosts {
		if name == strings.ToLower(own) {
			return true
		}
	}
	return false
}

// attempts slows down whoever guesses passwords: after maxWrong wrong ones nobody is
// admitted for wrongPause.
type attempts struct {
	mu    sync.Mutex
	wrong int
	until time.Time
}

const (
	maxWrong   = 10
	wrongPause = 10 * time.Second
)

func (a *attempts) allowed(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return now.After(a.until)
}

func (a *attempts) failed(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wrong++; a.wrong >= maxWrong {
		a.wrong, a.until = 0, now.Add(wrongPause)
	}
}
