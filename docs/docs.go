// Package docs has the documents of the API, for the pages that show them.
package docs

import "embed"

// API has openapi.yaml and asyncapi.yaml.
//
//go:embed openapi.yaml asyncapi.yaml
var API embed.FS
