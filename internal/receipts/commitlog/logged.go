package commitlog

import (
	"mkt/internal/dataset"
	"mkt/internal/receipts/transparency"
	"mkt/publish/football"
)

// ByDataset returns the newest leaf of each dataset of a log, as datasets of a data root. The data root may lack some.
func ByDataset(data string, logged []transparency.Logged) map[dataset.Dataset]transparency.Logged {
	known := make(map[dataset.Dataset]transparency.Logged, len(logged))
	for _, l := range logged {
		known[dataset.Dataset{Data: data, Tenant: l.ClientID, Product: football.Product(l.Product)}] = l
	}
	return known
}
