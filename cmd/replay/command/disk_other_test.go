//go:build !linux

package command

import "testing"

func readOnlyDisk(*testing.T) string { return "" }

func smallDisk(*testing.T, string) string { return "" }
