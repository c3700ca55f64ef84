package scenario

import (
	"fmt"

	"replay/engine/generic"
)

// Generic is what the applications of the scenario have in common that run each task in a container of its own.
func (sc *Scenario) Generic() generic.Setup {
	return generic.Setup{Model: &sc.Model, Types: sc.Site.Types, Over: sc.keys[tezSite], Dense: sc.Engine == Dense}
}

// tezSite is what single keys of Tez lie over. There is no such file to read: what is set for a job comes with it.
const tezSite = "tez-site.xml"

// readTez refuses single keys of Tez that are unknown or have no value that fits.
func (sc *Scenario) readTez() error {
	keys := sc.keys[tezSite]
	for _, key := range sortedKeys(keys) {
		if !generic.Follows(key) {
			return &OptionError{fmt.Errorf("--conf %w", &generic.UnknownKey{Key: key})}
		}
	}
	if _, err := generic.NewConf(keys); err != nil {
		return &OptionError{fmt.Errorf("--conf %w", err)}
	}
	return nil
}
