package provider

// Recorded describes a payload known by its bytes alone, such as a file in a
// folder of recordings. The zero value is a payload that the market engine does not read:
// another answer of the provider, an error, or something else.
type Recorded struct {
	// Endpoint is one that MarketAdapter.IsListing or IsMarkets knows; "" if the payload
	// is no such answer.
	Endpoint string
	// Body is the answer to read. It is the payload itself, unless that lacks its
	// envelope.
	Body []byte
	// Bookmakers are those whose prices the payload has, each once, in its order; nil for
	// a provider that sells the prices of one. They are names as in Exchange.Bookmaker.
	Bookmakers []string
}

// MaxRecordedBookmakers bounds Recorded.Bookmakers.
const MaxRecordedBookmakers = 500

// AddBookmaker adds a name that Bookmakers lacks, unless there are too many.
func (r *Recorded) AddBookmaker(name string) {
	if len(r.Bookmakers) >= MaxRecordedBookmakers {
		return
	}
	for _, known := range r.Bookmakers {
		if known == name {
			return
		}
	}
	r.Bookmakers = append(r.Bookmakers, name)
}
