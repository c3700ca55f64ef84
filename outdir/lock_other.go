//go:build !unix

package outdir

import "os"

// lock does nothing where directories cannot be locked.
func lock(*os.File) error { return nil }
