package googlestore

import "time"

func init() { firstWait = 5 * time.Millisecond }
