// Package cmdline is what the commands of the program have in common: flags and what they refuse, the words of a command, exit codes, standard
// output and error, progress, times.
package cmdline
