package betsapi

import (
	"errors"

	"mkt/fetch/simulator"
)

func openReplay(string) (simulator.Dialect, error) { return nil, errors.New("replay: not yet") }
