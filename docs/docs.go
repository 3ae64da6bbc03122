// Package docs has the documents of this folder, for the pages that show them.
package docs

import "embed"

// Files has openapi.yaml, asyncapi.yaml, the guides and their pictures.
//
//go:embed *.yaml *.md images/*.webp
var Files embed.FS
