// Package report writes and reads whole result directories: the records of a replay go in, and tables, sums, text, pictures and a page come out, or a
// [Result] of a directory that was written before. Of the rooms below it, each takes what those before it give:
//
//   - quantity says what is measured, in which unit, which way it is better, and how it is written;
//   - dist counts times, and sums adds up over time;
//   - result turns records into tables and sums, and reads tables back; checkpoint keeps states of a replay beside them;
//   - metric computes the values, a file for each metric;
//   - figure draws, and plot has a file for each picture of a replay;
//   - parting finds where two replays part, explain says where the time of an application went;
//   - page makes HTML;
//   - inference says what differences show; compare compares replays with it, and compare/pictures draws that;
//   - target reads conditions on values; gate and plan hold comparisons against them, ci writes what they find for other systems;
//   - prediction sets backtests beside their recordings, paper makes figures and tables for papers, portrait describes traces, timeline writes trace events;
//   - verify checks a result directory from its tables alone, with no code of the rooms above.
//
// All of them know the records (engine/record), not the engine.
package report
