// Package access decides which requests the console answers: it checks the name under which it was
// reached, asks for the password, slows guesses down, and recognizes the console's own pages.
package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"maps"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rules say who may read the pages.
type Rules struct {
	// Hosts are the names, beside those of loopback, under which browsers reach the
	// console. A request with another name is refused: it comes from a site whose own
	// name points here.
	Hosts []string
	// Password, if it is not "", is asked for with HTTP Basic authentication. The user's
	// name does not matter.
	Password string
	// Certificate is served with TLS; nil for none.
	Certificate *tls.Certificate
	// BehindProxy is true if all requests come through a proxy of one's own, which appends
	// the client's address to X-Forwarded-For.
	BehindProxy bool
}

// Gate admits requests. It is safe for concurrent use.
type Gate struct {
	Rules
	Now      func() time.Time
	attempts attempts
}

// Admits reports whether a request may be answered, and answers it if not.
func (a *Gate) Admits(w http.ResponseWriter, r *http.Request) bool {
	if !a.isOwnName(r.Host) {
		http.Error(w, "This console is not known by that name. mkt console --host NAME adds one.", http.StatusMisdirectedRequest)
		return false
	}
	if a.Password == "" {
		return true
	}
	if _, password, given := r.BasicAuth(); given {
		now := a.Now()
		try, wait := a.attempts.take(a.clientOf(r), now)
		if wait > 0 {
			seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
			w.Header().Set("Retry-After", seconds)
			http.Error(w, "Too many wrong passwords from this address. Try again in "+seconds+" s.", http.StatusTooManyRequests)
			return false
		}
		want, got := sha256.Sum256([]byte(a.Password)), sha256.Sum256([]byte(password))
		if subtle.ConstantTimeCompare(want[:], got[:]) == 1 {
			try.CancelAt(now)
			return true
		}
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="mkt console", charset="UTF-8"`)
	http.Error(w, "The console asks for its password.", http.StatusUnauthorized)
	return false
}

// IsOwnRequest reports whether a page of the console, or a person, sent a request: not a page of another
// site, nor of another port of this machine, which is the same site to a browser.
func IsOwnRequest(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "": // an older browser, or a program
		origin, err := url.Parse(r.Header.Get("Origin"))
		return r.Header.Get("Origin") == "" || err == nil && strings.EqualFold(origin.Host, r.Host)
	}
	return false
}

func (a Rules) isOwnName(host string) bool {
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

// Guessing a password is slowed down: a client has wrongBurst wrong tries, and one more every
// wrongEvery. The tries come back with time, so nobody who mistypes now and then is ever locked
// out. With no try left the right password is refused as well; otherwise the answer would confirm
// a guess.
const (
	wrongBurst   = 10
	wrongEvery   = 6 * time.Second
	maxAddresses = 4096 // whose tries are counted
)

// attempts counts the wrong passwords by the client's address. It is safe for concurrent use.
type attempts struct {
	mu   sync.Mutex
	from map[netip.Prefix]*rate.Limiter
	rest *rate.Limiter // of all other addresses, once there are too many
	shed time.Time     // when those were last forgotten whose tries have come back
}

// take takes a try from an address before its password is compared. Many requests at once
// therefore get no more tries. If there is none left, it returns how long to wait for the next.
// The right password cancels the reservation.
func (a *attempts) take(address netip.Prefix, now time.Time) (*rate.Reservation, time.Duration) {
	r := a.of(address, now).ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return r, wait
}

func (a *attempts) of(address netip.Prefix, now time.Time) *rate.Limiter {
	a.mu.Lock()
	defer a.mu.Unlock()
	if tries := a.from[address]; tries != nil {
		return tries
	}
	if a.from == nil {
		a.from, a.rest = map[netip.Prefix]*rate.Limiter{}, rate.NewLimiter(rate.Every(wrongEvery), wrongBurst)
	}
	if len(a.from) >= maxAddresses && now.Sub(a.shed).Abs() >= time.Second {
		a.shed = now
		maps.DeleteFunc(a.from, func(_ netip.Prefix, tries *rate.Limiter) bool { return tries.TokensAt(now) >= wrongBurst })
	}
	if len(a.from) >= maxAddresses {
		return a.rest
	}
	a.from[address] = rate.NewLimiter(rate.Every(wrongEvery), wrongBurst)
	return a.from[address]
}

// clientOf returns the address under which a request is counted. All of one IPv6 network are one
// client, because it has more addresses than anybody can count. Behind a proxy it is the address
// appended by the proxy, if there is one; the client itself may have written those before it.
func (a *Gate) clientOf(r *http.Request) netip.Prefix {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if forwarded := r.Header.Values("X-Forwarded-For"); a.BehindProxy && len(forwarded) > 0 {
		list := strings.Split(forwarded[len(forwarded)-1], ",")
		host = strings.TrimSpace(list[len(list)-1])
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	bits := 32
	if address = address.Unmap().WithZone(""); address.Is6() {
		bits = 64
	}
	prefix, err := address.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return prefix
}
