// Package spark is what the driver of an application decides: dynamic allocation, stages and tasks.
// Rooms of their own have its configuration, the application master's allocator of containers, the
// order of Scala's collections, and the driver that plays these parts in the engine.
//
// Its types are state machines without clocks, threads or randomness: calls carry the time in
// ms and answer with values. The engine decides when they are called.
package spark
