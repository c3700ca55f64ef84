package command

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// readOnlyDisk mounts a file system that cannot be written and returns where, "" where that is not allowed.
func readOnlyDisk(t *testing.T) string {
	t.Helper()
	return disk(t, syscall.MS_RDONLY, "size=64k")
}

// smallDisk mounts a file system that is soon full and returns where, "" where that is not allowed.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	return disk(t, 0, "size="+size)
}

func disk(t *testing.T, flags uintptr, data string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, data); err != nil {
		t.Logf("no disk of its own: %v", err)
		return ""
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}
