package generic

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/engine/spelling"
)

// Keys that are followed, of Tez.
//
// Source: TezConfiguration of Tez 0.10.
const (
	keyHeartbeat   = "tez.am.am-rm.heartbeat.interval-ms.max"
	keyMaxFailures = "tez.am.task.max.failed.attempts"
	keyReuse       = "tez.am.container.reuse.enabled"
	keyRack        = "tez.am.container.reuse.rack-fallback.enabled"
	keyNonLocal    = "tez.am.container.reuse.non-local-fallback.enabled"
	keyDelay       = "tez.am.container.reuse.locality.delay-allocation-millis"
	keyIdleMin     = "tez.am.container.idle.release-timeout-min.millis"
	keyIdleMax     = "tez.am.container.idle.release-timeout-max.millis"
)

// defaultMaxFailures is how often a task may fail where nobody says and no more failures are recorded.
const defaultMaxFailures = 4

// Conf is what keys say of a job. Defaults are Tez's, but containers are not used again.
type Conf struct {
	HeartbeatMS int64
	// MaxFailures is how often a task may fail; 0 = as often as its recorded retries say, and at least defaultMaxFailures.
	MaxFailures      int64
	Reuse            bool // a container may run one task after another
	Rack, NonLocal   bool // it may go to a task that prefers another node of its rack, or of another one
	DelayMS          int64
	IdleMin, IdleMax int64 // how long one is held that no task wants, ms
}

// number is a key with a number, the place of its value and its least one; sign is one that is true or false.
type number struct {
	to    *int64
	least int64
}

func (c *Conf) numbers() map[string]number {
	return map[string]number{
		keyHeartbeat: {&c.HeartbeatMS, 1}, keyMaxFailures: {&c.MaxFailures, 1}, keyDelay: {&c.DelayMS, 0}, keyIdleMin: {&c.IdleMin, 0}, keyIdleMax: {&c.IdleMax, 0},
	}
}

func (c *Conf) signs() map[string]*bool {
	return map[string]*bool{keyReuse: &c.Reuse, keyRack: &c.Rack, keyNonLocal: &c.NonLocal}
}

// NewConf reads a configuration; later layers lie over earlier ones, and what is not followed is left alone. The error names key, value and what was wanted.
func NewConf(layers ...map[string]string) (*Conf, error) {
	c := &Conf{HeartbeatMS: 1000, Rack: true, DelayMS: 250, IdleMin: 5000, IdleMax: 10_000}
	numbers, signs := c.numbers(), c.signs()
	for _, layer := range layers {
		for _, key := range slices.Sorted(maps.Keys(layer)) {
			value := strings.TrimSpace(layer[key])
			if n, ok := numbers[key]; ok {
				v, err := strconv.ParseInt(value, 10, 64)
				if err != nil || v < n.least || v > math.MaxInt32 {
					return nil, fmt.Errorf("%s is %q, want a whole number from %d to %d", key, value, n.least, math.MaxInt32)
				}
				*n.to = v
			}
			if to, ok := signs[key]; ok {
				if value != "true" && value != "false" {
					return nil, fmt.Errorf("%s is %q, want true or false", key, value)
				}
				*to = value == "true"
			}
		}
	}
	c.IdleMax = max(c.IdleMax, c.IdleMin)
	return c, nil
}

// ofReuse reports whether a key, with this value, only changes what becomes of containers that are used again.
func ofReuse(key, value string) bool {
	switch key {
	case keyRack, keyNonLocal, keyDelay, keyIdleMin, keyIdleMax:
		return true
	}
	return key == keyReuse && strings.TrimSpace(value) == "true"
}

// followed are the keys that are read.
func followed() []string {
	var c Conf
	return slices.Sorted(func(yield func(string) bool) {
		for key := range c.numbers() {
			if !yield(key) {
				return
			}
		}
		for key := range c.signs() {
			if !yield(key) {
				return
			}
		}
	})
}

// UnknownKey is the error of a single key that is not followed.
type UnknownKey struct{ Key string }

func (e *UnknownKey) Error() string {
	text := e.Key + " is not followed: it is no key of Tez, or decides nothing in a replay"
	if close := spelling.Nearest(e.Key, followed(), 1); len(close) > 0 {
		text += fmt.Sprintf("; did you mean %s?", close[0])
	}
	return text
}

// Follows reports whether a key is read.
func Follows(key string) bool { return slices.Contains(followed(), key) }
