package object

import (
	"context"
	"net/url"
	"sync"
)

// Driver opens the bucket named by the host of an address. It sends no request. The parameters of
// the address are the driver's; an unknown one is an error.
type Driver func(ctx context.Context, address *url.URL) (Bucket, error)

var drivers = struct {
	sync.Mutex
	of map[string]Driver
}{of: map[string]Driver{}}

// Register makes a driver known under the scheme of its addresses, such as "s3". Drivers register
// themselves when they are imported. Only the program imports them: tests of other packages link
// no cloud.
func Register(scheme string, d Driver) {
	drivers.Lock()
	defer drivers.Unlock()
	drivers.of[scheme] = d
}

func DriverOf(scheme string) (Driver, bool) {
	drivers.Lock()
	defer drivers.Unlock()
	d, ok := drivers.of[scheme]
	return d, ok
}
