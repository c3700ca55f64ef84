"""measure.py NAME WANT COMMAND...: runs the command and prints a row of a table: its CPU time, its peak memory, and whether its last line is WANT.
A command that takes more than LIMIT s of CPU (600) is ended, and the row says so."""

import os
import resource
import signal
import subprocess
import sys

name, want, command = sys.argv[1], sys.argv[2], sys.argv[3:]
limit = int(os.environ.get("LIMIT", "600"))
child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
lines = child.stdout.read().strip().splitlines()
_, status, used = os.wait4(child.pid, 0)
answer = lines[-1] if lines else ""
verdict = "right" if answer == want and status == 0 else f"wrong: {answer or 'no answer'}"
if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
    verdict = f"no end within {limit} s"
print(f"| {name} | {used.ru_utime + used.ru_stime:.2f} s | {used.ru_maxrss * 1024 / 1e6:.0f} MB | {verdict} |", flush=True)
