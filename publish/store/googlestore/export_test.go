package googlestore

import "time"

func init() { firstWait = 5 * time.Millisecond }

// MayAsk is mayAsk of a bucket.
func MayAsk(anonymous bool, address string) bool {
	return (&bucket{anonymous: anonymous}).mayAsk(address)
}
