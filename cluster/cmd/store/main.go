// Store is an S3 object store over a folder, for trying a cluster of mkt by hand:
//
//	go run ./cmd/store -dir /tmp/store -listen 127.0.0.1:7070
//
// It prints the settings of mkt for it. It is not meant for production.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"mkt/cluster/servers"
)

func main() {
	dir := flag.String("dir", "", "the folder of the objects")
	listen := flag.String("listen", "127.0.0.1:7070", "the address")
	access := flag.String("access", "mkt", "the access key")
	secret := flag.String("secret", "mkt-secret", "the secret key")
	flag.Parse()
	if *dir == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "store: -dir is missing; it is the folder of the objects")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Printf("export AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s\nexport MKT_STORE='%s'\n",
		*access, *secret, servers.StoreURL(*listen, ""))
	folder, err := filepath.Abs(*dir)
	if err == nil {
		err = servers.RunStore(ctx, folder, *listen, *access, *secret)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(1)
	}
}
