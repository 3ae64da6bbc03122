package commitlog

// Files are the files of the transparency log: its key, which only the commands that add to the log
// open, and the policy.
type Files struct {
	Key    string
	Policy string
}
