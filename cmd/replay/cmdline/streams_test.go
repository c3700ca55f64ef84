package cmdline

import "testing"

func TestColoured(t *testing.T) {
	for _, test := range []struct {
		flag     string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"auto", true, nil, true},
		{"auto", false, nil, false},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"NO_COLOR": "", "CLICOLOR": "1"}, true},
		{"auto", true, map[string]string{"CLICOLOR": "0"}, false},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"auto", false, map[string]string{"CLICOLOR": "1"}, false},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{"auto", false, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
		{"always", false, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{"never", true, map[string]string{"CLICOLOR_FORCE": "1"}, false},
	} {
		if got := coloured(test.flag, test.terminal, func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("--color %s, a terminal %v, %v: %v, want %v", test.flag, test.terminal, test.env, got, test.want)
		}
	}
}
