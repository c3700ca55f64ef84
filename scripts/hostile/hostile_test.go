package main

import (
	"math/rand/v2"
	"testing"
)

// The short form of `hostile flips`.
func TestFlips(t *testing.T) {
	if err := flips(t.TempDir(), 300, rand.New(rand.NewPCG(7, 0))); err != nil {
		t.Error(err)
	}
}

// The short form of `hostile kills`: each command about once.
func TestKills(t *testing.T) {
	t.Chdir("../..")
	if err := kills(t.TempDir(), "", len(victims), rand.New(rand.NewPCG(7, 0))); err != nil {
		t.Error(err)
	}
}
