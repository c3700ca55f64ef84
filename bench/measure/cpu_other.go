//go:build !unix

package measure

import "time"

var start = time.Now()

// CPU is the time since the program began: there is no clock of processor time here.
func CPU() time.Duration { return time.Since(start) }
