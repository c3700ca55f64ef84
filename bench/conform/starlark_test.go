package conform

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/policy/starlark/starlarktest"
)

// TestStarlarkVectors runs YARN's vectors that divide, compare or replay the FairScheduler with fair and drf in Starlark: each is as recorded. With
// REPLAY_GOLDEN all those of that folder, without it a file of each sort.
func TestStarlarkVectors(t *testing.T) {
	folder, more := filepath.Join("testdata", "yarn"), os.Getenv("REPLAY_GOLDEN")
	if more != "" {
		folder = filepath.Join(more, "yarn")
	}
	made := starlarktest.InPlace(t, filepath.Join("..", "..", "examples", "policy"))
	cases := 0
	for _, pattern := range []string{"comparators*", "compute_shares*", "fair_*", "fs_*", "gpu_fs_*"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		if more == "" {
			files = files[:1]
		}
		for _, file := range files {
			s, err := Dir(folder, filepath.Base(file))
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, f := range s.Files {
				cases += f.Equal
				if f.OK() {
					continue
				}
				if err := s.WriteText(&b, DefaultMax); err != nil {
					t.Fatal(err)
				}
				t.Error(b.String())
			}
		}
	}
	if cases == 0 || made.Load() == 0 {
		t.Errorf("%d cases, decided by %d policies in Starlark", cases, made.Load())
	}
	t.Logf("%d cases are as recorded, decided by %d policies in Starlark", cases, made.Load())
}
