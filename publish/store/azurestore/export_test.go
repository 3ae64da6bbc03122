package azurestore

import "time"

func init() { retries.RetryDelay, retries.MaxRetryDelay = 5*time.Millisecond, 10*time.Millisecond }
