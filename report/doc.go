// Package report turns the records of a replay into an answer: result directories, metrics,
// tables, plots, pages and the verdict of a comparison. It knows the records
// (engine/record), not the engine.
//
// A [Writer] is the engine's record.Sink. It streams rows to Parquet, keeps what the metrics
// need (jobs as they are; containers, tasks and samples as counts, histograms and time
// buckets) and writes a result directory whole or not at all. [Open] reads one back.
//
// A metric is one file metric_<name>.go and one line in [Metrics]; its definition stands in
// docs/metrics.md. A plot is one file plot_<name>.go and one line in [Plots].
//
// All times are milliseconds of simulated time, memory is in MiB, CPU in vcores. The same
// records give the same bytes in every file, on any machine.
package report
