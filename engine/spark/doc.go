// Package spark is an application's side of the replay: the application master with its
// allocator of containers, dynamic allocation, and the driver's scheduling of stages and tasks.
//
// Its types are state machines without clocks, threads or randomness: calls carry the time in
// ms and answer with values. The engine decides when they are called.
package spark
