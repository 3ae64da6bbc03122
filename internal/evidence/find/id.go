package find

import (
	"errors"

	"mkt/internal/dataset"
	"mkt/internal/evidence/explain"
	"mkt/publish/football"
)

// ID replaces the teams' names at the beginning of a text, and the words of a market or a price
// after them, by ids. found is the fixture if the text is its name alone.
func ID(d dataset.Dataset, text string) (id string, found Found, err error) {
	name, rest := explain.SplitName(text)
	if name == "" {
		return text, found, nil
	}
	found, err = Named(d, name)
	if errors.Is(err, ErrUnknown) && rest == "" && d.Product == football.MarketEngine {
		id, err = Priced(d, name)
		return id, found, err
	}
	return found.ID + rest, found, err
}
