// Package report writes and reads whole result directories. It is the top of the rooms below it, each of which takes
// what the one before it gives:
//
//   - quantity says what is measured, in which unit, which way it is better, and how it is written;
//   - dist counts times;
//   - result turns records into tables and sums, and reads tables back;
//   - metric computes the values, a file for each metric;
//   - figure draws, and plot has a file for each picture of a replay;
//   - page makes HTML;
//   - compare compares replays, with its statistics;
//   - prediction sets backtests beside their recordings;
//   - outdir lets directories appear whole or not at all.
//
// All of them know the records (engine/record), not the engine.
package report
