package simulation

import (
	"regexp"
	"sync"
)

// What an answer names: fixtures by their ids, which are different in every account, accounts, and providers.
var (
	fixtureIDs = regexp.MustCompile(`\bfx_[a-z0-9]+`)
	clientIDs  = regexp.MustCompile(`"client_id":"([^"]*)"`)
	providers  = regexp.MustCompile(`"source_provider":"([^"]*)"`)
)

// owners knows which accounts the fixtures are of, by their ids.
type owners struct {
	mu sync.Mutex
	of map[string]string
}

func newOwners() *owners { return &owners{of: map[string]string{}} }

// own notes that an account has a fixture.
func (o *owners) own(account, fixture string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if owner, known := o.of[fixture]; !known {
		o.of[fixture] = account
	} else if owner != account { // accounts of one provider have its fixtures under the same ids
		o.of[fixture] = ""
	}
}

// owner returns the account that a fixture is of, by its id; "" if it was never published.
func (o *owners) owner(fixture string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[fixture]
}

// isForeign fails if an answer of a replica to an account names something of another one.
func (o *owners) isForeign(a *account, replica, what string, body []byte) {
	for _, id := range fixtureIDs.FindAll(body, -1) {
		if owner := o.owner(string(id)); owner != "" && owner != a.id {
			a.w.fail(nothingForeign, "%s of %s answers %s with the fixture %s of %s", what, replica, a.id, id, owner)
			return
		}
	}
	for _, found := range clientIDs.FindAllSubmatch(body, -1) {
		if string(found[1]) != a.id {
			a.w.fail(nothingForeign, "%s of %s answers %s with the account %s", what, replica, a.id, found[1])
		}
	}
	for _, found := range providers.FindAllSubmatch(body, -1) {
		if string(found[1]) != a.provider {
			a.w.fail(nothingForeign, "%s of %s answers %s with data of %s", what, replica, a.id, found[1])
		}
	}
}
