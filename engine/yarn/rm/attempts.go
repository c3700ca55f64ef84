package rm

import (
	"replay/engine/protocol"
)

// Counts reports whether the end of an application master with this exit status counts as a failure of the application.
//
// Source: RMAppAttemptImpl.shouldCountTowardsMaxAttemptRetry.
func Counts(exit int32) bool {
	switch exit {
	case protocol.ExitPreempted, protocol.ExitAborted, protocol.ExitDisksFailed, protocol.ExitKilledByRM:
		return false
	}
	return true
}

// Retries reports whether an application gets another attempt after so many failures that count; asked is how many
// attempts its submission asked for, 0 or less for the ResourceManager's default. An application with one attempt never does,
// whatever ended it.
//
// Source: RMAppImpl (maxAppAttempts), RMAppImpl.AttemptFailedTransition.
func (r *RM) Retries(failures, asked int) bool {
	limit := asked
	switch {
	case asked <= 0:
		limit = r.config.MaxAttempts
	case asked > r.config.GlobalMaxAttempts:
		limit = r.config.GlobalMaxAttempts
	}
	return limit > 1 && failures < limit
}
