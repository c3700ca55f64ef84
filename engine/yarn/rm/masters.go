package rm

import "replay/engine/protocol"

// MasterSilent says that an application master will not be heard of any more, as its node has failed with it. It was heard last at lastMS, as far as the
// ResourceManager was not called: when it was launched, or with a heartbeat that was left out. The liveness monitor finds it expired when it looks, unless the
// attempt has ended before. One that has unregistered is watched by a monitor of its own, with the same interval, from then on.
//
// Source: AMLivelinessMonitor, RMAppAttemptImpl.AMLaunchedTransition, AMUnregisteredTransition, ExpiredTransition.
func (r *RM) MasterSilent(now int64, id protocol.AppID, lastMS int64) {
	a := r.app(id)
	if a == nil {
		return
	}
	last := a.heard
	if !a.unregistered {
		last = max(last, lastMS)
	}
	r.host.At(max(expires(last, r.config.MasterExpiryMS), now), MasterExpired, int64(id), int64(a.attempt))
}

// masterExpired ends an attempt, unless it has ended. There is no exit status, so it counts among those that have failed.
func (r *RM) masterExpired(now int64, id protocol.AppID, attempt int32) {
	if a := r.app(id); a != nil && a.attempt == attempt {
		r.endAttempt(now, a, protocol.ExitInvalid)
	}
}
