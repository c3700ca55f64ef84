package result

import (
	"replay/engine/record"
	"replay/report/quantity"
)

// TaskLevels describe the levels of task launches, by record.TaskLevel.
var TaskLevels = [record.AnyLevel + 1]struct {
	Name   string // within names of quantities
	Short  string // beside a bar
	About  string // within a sentence about tasks
	Better quantity.Direction
}{
	record.ProcessLocal:  {"process", "same process", "in the executor that holds its data (PROCESS_LOCAL)", quantity.Higher},
	record.TaskNodeLocal: {"node", "preferred host", "on a preferred host (NODE_LOCAL)", quantity.Higher},
	record.NoPref:        {"no_pref", "no preference", "without a preference (NO_PREF)", quantity.Neither},
	record.TaskRackLocal: {"rack", "its rack", "on the rack of a preferred host (RACK_LOCAL)", quantity.Neither},
	record.AnyLevel:      {"any", "elsewhere", "elsewhere (ANY)", quantity.Lower},
}

// Matches name where containers are against what their requests named, by record.Match, beside a bar.
var Matches = [record.Unmatched + 1]string{
	record.NoPreference: "no preference",
	record.OnHost:       "preferred host",
	record.OnRack:       "its rack",
	record.Elsewhere:    "elsewhere",
	record.Unmatched:    "no preference",
}
