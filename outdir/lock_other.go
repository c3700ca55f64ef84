//go:build !unix

package outdir

import "os"

const canLock = false

// lock does nothing where files and directories cannot be locked.
func lock(*os.File) error { return nil }
