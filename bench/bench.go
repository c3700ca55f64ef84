// Package bench holds what the program is measured and pinned by.
package bench

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
)

//go:embed testdata/pinned.txt
var pinned []byte

// Decisions is the version of the program's decisions: the hash of what the pinned replays decide. Programs that decide differently in one
// of them have different ones.
func Decisions() string {
	sum := sha256.Sum256(pinned)
	return hex.EncodeToString(sum[:8])
}
