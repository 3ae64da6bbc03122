// Package deploy tests how mkt is deployed on several machines: the chart and the manifests
// for Kubernetes, and the units of systemd.
package deploy
