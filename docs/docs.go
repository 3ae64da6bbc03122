// Package docs has the documents of this folder, for the pages that show them.
package docs

import "embed"

// Files has openapi.yaml, asyncapi.yaml, feed.schema.json, and the guides.
//
//go:embed *.yaml *.json *.md
var Files embed.FS
