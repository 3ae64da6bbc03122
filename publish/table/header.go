package table

import "strconv"

// Header is stored in a file's metadata, under the keys below with the prefix "mkt.".
type Header struct {
	ClientID          string // client_id
	Product           string // product
	CycleID           string // cycle_id
	Provider          string // provider
	DerivationVersion string // derivation_version
}

func (s *spec) metadata(h Header) map[string]string {
	return map[string]string{
		"mkt.table":              s.Name,
		"mkt.format":             strconv.Itoa(Version),
		"mkt.client_id":          h.ClientID,
		"mkt.product":            h.Product,
		"mkt.cycle_id":           h.CycleID,
		"mkt.provider":           h.Provider,
		"mkt.derivation_version": h.DerivationVersion,
		"mkt.columns":            s.columns,
	}
}
