// Package measure times work by processor time rather than by the clock on the wall, which other programs move.
package measure
