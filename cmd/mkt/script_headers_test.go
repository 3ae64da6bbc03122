package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// askHeaders requests STATUS URL TOKEN [NAME:VALUE]... and prints the answer's headers and body.
func askHeaders(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: headers STATUS URL TOKEN [NAME:VALUE]...")
	}
	ts.Check(tryHeaders(ts, args))
}

func tryHeaders(ts *testscript.TestScript, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, args[1], nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+args[2])
	for _, h := range args[3:] {
		name, value, _ := strings.Cut(h, ":")
		r.Header.Set(name, strings.TrimSpace(value))
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var text bytes.Buffer
	if err := answer.Write(&text); err != nil {
		return err
	}
	if strconv.Itoa(answer.StatusCode) != args[0] {
		return fmt.Errorf("status %d, want %s\n%s", answer.StatusCode, args[0], &text)
	}
	_, err = text.WriteTo(ts.Stdout())
	return err
}
