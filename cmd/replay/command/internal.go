package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"replay/engine"
)

// toSend says of a fault of the program what somebody needs to see it again. Texts of configuration are not in it, only their hashes.
func (p *program) toSend(args []string, err error, e *engine.InternalError) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\nThis is a fault of the program, or of a policy that was added to it. To have it mended, send these lines, the trace and the configuration:\n", err)
	line := func(name, format string, values ...any) {
		fmt.Fprintf(&b, "  %-9s"+format+"\n", append([]any{name}, values...)...)
	}
	line("program", "%s, %s %s/%s", build(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	line("command", "replay %s", quoted(args[1:]))
	line("trace", "sha256 %s", e.TraceHash)
	files, _ := json.Marshal(p.files.made(nil)) // strings and maps of strings
	sum := sha256.Sum256(files)
	line("files", "sha256 %s", hex.EncodeToString(sum[:]))
	line("replay", "scheduler %s, engine %s, seed %d", e.Scheduler, e.Engine, e.Seed)
	line("event", "%d at %d ms, %s", e.Number, e.AtMS, e.Event)
	if e.Stack != "" {
		b.WriteString(e.Stack)
	}
	return strings.TrimRight(b.String(), "\n")
}

// quoted joins words so that a shell takes them apart again.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`;&|<>*?()#~[]{}!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return strings.Join(out, " ")
}
