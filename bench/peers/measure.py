"""measure.py NAME WANT COMMAND...: runs the command and prints a row of a table: its CPU time, its peak memory, and whether its last line is WANT."""

import os
import subprocess
import sys

name, want, command = sys.argv[1], sys.argv[2], sys.argv[3:]
child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
lines = child.stdout.read().strip().splitlines()
_, status, used = os.wait4(child.pid, 0)
answer = lines[-1] if lines else ""
verdict = "right" if answer == want and status == 0 else f"wrong: {answer or 'no answer'}"
print(f"| {name} | {used.ru_utime + used.ru_stime:.2f} s | {used.ru_maxrss * 1024 / 1e6:.0f} MB | {verdict} |", flush=True)
