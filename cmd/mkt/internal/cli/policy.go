package cli

import (
	"fmt"
	"os"

	"mkt/publish/transparency"
)

// ReadPolicy reads a policy of transparency logs and witnesses from a file.
func ReadPolicy(name string) (*transparency.Policy, error) {
	if name == "" {
		return nil, Usagef("--policy: want the file with the keys of the log and of the witnesses; docs/receipts.md shows one")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, AsUsage(fmt.Errorf("--policy: %w", err))
	}
	p, err := transparency.ParsePolicy(text)
	if err != nil {
		return nil, AsUsage(fmt.Errorf("%s: %w", name, err))
	}
	return p, nil
}
