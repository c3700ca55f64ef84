package main

import (
	"math/rand/v2"
	"testing"
)

// The short form of `hostile flips`.
func TestFlips(t *testing.T) {
	if err := flips(t.TempDir(), 200, rand.New(rand.NewPCG(7, 0))); err != nil {
		t.Error(err)
	}
}
