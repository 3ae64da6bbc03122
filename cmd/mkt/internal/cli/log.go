package cli

import (
	"context"
	"time"

	"mkt/internal/receipts/commitlog"
)

// RunLog is [commitlog.Run] with the files, the data root and the store of the settings, as mkt log and mkt schedule do it.
func (env *Env) RunLog(ctx context.Context, files commitlog.Files, wait time.Duration) (commitlog.Result, error) {
	key, err := commitlog.LoadKey(files.Key)
	if err != nil {
		return commitlog.Result{}, err
	}
	policy, err := commitlog.LoadPolicy(files.Policy)
	if err != nil {
		return commitlog.Result{}, err
	}
	o := commitlog.Options{Data: env.Data, Key: key, Policy: policy, KeyFile: files.Key, Wait: wait, Now: env.Now, Post: commitlog.Post}
	if env.HasStore() {
		if o.Store, err = env.WritableStore(ctx); err != nil {
			return commitlog.Result{}, err
		}
	}
	return commitlog.Run(ctx, o)
}
