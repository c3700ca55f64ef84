// Package synth makes synthetic traces: arrivals, jobs, block placement and node failures after calibrated
// presets. The same preset, options and seed give the same trace; every purpose draws from its own stream
// ([trace.Stream]), so that a change of one part leaves the others as they were. Blocks are placed by
// [trace.Topology].
//
// Times are in milliseconds, memory in MiB, CPU in vcores, sizes in bytes.
package synth
