// Package browser opens pages in Chromium as their readers do, for tests: on a phone and on a wide screen, in the dark, on paper,
// by keyboard, with a screen reader's rules (axe-core), without scripts, and without a network.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Tab is a page in a browser.
type Tab struct {
	t    *testing.T
	ctx  context.Context
	file string

	mu   sync.Mutex
	said []string // by the console, exceptions and requests
}

// Open shows a page. Where there is no chromium the test is skipped: scripts/browser installs it.
func Open(t *testing.T, html []byte) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in the path, so the page was not looked at: scripts/browser installs it")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, html, 0o644); err != nil {
		t.Fatal(err)
	}
	for left := starts - 1; ; left-- {
		tab, err := start(t, path, file)
		if err == nil {
			return tab
		}
		if left == 0 {
			t.Fatalf("chromium shows no page, tried %d times: %v", starts, err)
		}
		t.Logf("chromium shows no page, which is tried again: %v", err)
	}
}

// A browser that does not answer is ended: while it starts it has another one's place, afterwards the test fails.
const (
	starts   = 3
	starting = time.Minute
	lifetime = 5 * time.Minute
)

// start has a new browser show a page.
func start(t *testing.T, path, file string) (*Tab, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, end := context.WithTimeoutCause(context.Background(), lifetime, fmt.Errorf("no answer of chromium for %v", lifetime))
	t.Cleanup(end)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	late := time.AfterFunc(starting, end)
	defer late.Stop()
	tab := &Tab{t: t, ctx: ctx, file: file}
	if err := chromedp.Listen(ctx, tab.heard); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, window(1440)); err != nil {
		return nil, err
	}
	_, err := chromedp.Run(ctx, tab.page())
	return tab, err
}

// window is one that is so wide.
func window(width int64) emulation.SetDeviceMetricsOverrideParams {
	return emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500}
}

// call runs a command of the browser.
func call[P, R any](tab *Tab, c cdp.Command[P, R], params P) R {
	tab.t.Helper()
	r, err := chromedp.Call(tab.ctx, c, params)
	if err != nil {
		tab.t.Fatal(err)
	}
	return r
}

func do[T any](tab *Tab, a chromedp.Action[T]) T {
	tab.t.Helper()
	x, err := chromedp.Run(tab.ctx, a)
	if err != nil {
		tab.t.Fatal(err)
	}
	return x
}

// page opens the page.
func (tab *Tab) page() chromedp.Action[chromedp.Void] { return chromedp.Navigate("file://" + tab.file) }

// load opens the page again, and waits until its script has taken over where it has data and may run.
func (tab *Tab) load() {
	tab.t.Helper()
	do(tab, tab.page())
}

// Ready waits until the script has read the data of the page.
func (tab *Tab) Ready() {
	tab.t.Helper()
	do(tab, chromedp.Poll[bool](`document.documentElement.classList.contains("live") || !document.getElementById("data")`))
}

// Size makes the window so wide; less than 500 pixels are a phone.
func (tab *Tab) Size(width int64) {
	tab.t.Helper()
	call(tab, emulation.SetDeviceMetricsOverride, window(width))
}

// media shows the page on screen or print, light or dark.
func (tab *Tab) media(media, scheme string) {
	tab.t.Helper()
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// Eval returns what an expression is in the page.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	return do(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Press presses a key, such as kb.Tab.
func (tab *Tab) Press(key string) {
	tab.t.Helper()
	do(tab, chromedp.KeyEvent(key))
}

// heard keeps what a page must not do: say something on the console, fail, or ask for anything but itself.
func (tab *Tab) heard(ev any) {
	text := ""
	switch e := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		text = fmt.Sprintf("console: %s %v", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		text = fmt.Sprintf("exception: %v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		text = "log: " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		if e.Request.URL != "file://"+tab.file {
			text = "request: " + e.Request.URL
		}
	}
	if text != "" {
		tab.mu.Lock()
		tab.said = append(tab.said, text)
		tab.mu.Unlock()
	}
}

// Quiet reports what the page said or asked for.
func (tab *Tab) Quiet() {
	tab.t.Helper()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, text := range tab.said {
		tab.t.Errorf("the page is not quiet: %s", text)
	}
}

// openAll opens what can be opened: all but definitions beyond the first few, which are all of one make.
const openAll = `[...document.querySelectorAll("details:not(.about)"), ...[...document.querySelectorAll("details.about")].slice(0, 5)].map(d => d.open = true).length`

// reachAll scrolls over all of the page, so that everything is drawn.
const reachAll = `(async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += 1500) { scrollTo(0, y); await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))); }
  scrollTo(0, 0);
  return document.querySelectorAll("canvas").length;
})()`

// beyond names what reaches beyond the right edge, or is cut off by what is around it.
const beyond = `(() => {
  const wide = document.documentElement.clientWidth, out = [];
  if (document.documentElement.scrollWidth > wide) out.push("the page is " + document.documentElement.scrollWidth + " wide in " + wide);
  for (const e of document.querySelectorAll("main *")) {
    const r = e.getBoundingClientRect();
    if (!r.width || e.closest(".quiet, .scroll *, .chart, svg")) continue;
    if (r.right > wide + 1) out.push(e.tagName + "." + e.className + " to " + Math.round(r.right) + ": " + e.textContent.slice(0, 40));
  }
  return out.slice(0, 5);
})()`

// cut names the cells of tables that paper of the width of the window does not have.
const cut = `(() => {
  const wide = document.documentElement.clientWidth, out = [];
  for (const e of document.querySelectorAll("th, td, pre")) {
    const r = e.getBoundingClientRect();
    if (r.width && (r.right > wide + 1 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")) out.push(e.tagName + " to " + Math.round(r.right) + " of " + wide + ": " + e.textContent.slice(0, 40));
  }
  return out.slice(0, 5);
})()`

// crumbs names words of at most ten letters that are broken at the head of a table of at most eleven columns, and small texts that are no smaller
// than what they are about.
const crumbs = `(() => {
  const out = [], range = document.createRange();
  for (const h of document.querySelectorAll("table:not(:has(thead th:nth-child(12))) thead th")) {
    const texts = document.createTreeWalker(h, NodeFilter.SHOW_TEXT);
    for (let text; text = texts.nextNode(); ) for (const w of text.data.matchAll(/[^\s-]{1,10}(?![^\s-])/g)) {
      range.setStart(text, w.index), range.setEnd(text, w.index + w[0].length);
      if (!h.querySelector(".quiet") && new Set([...range.getClientRects()].map(r => r.top)).size > 1) out.push("broken in two: " + w[0]);
    }
  }
  for (const s of document.querySelectorAll("td small, th small")) if (parseFloat(getComputedStyle(s).fontSize) >= parseFloat(getComputedStyle(s.parentElement).fontSize)) out.push("not small: " + s.textContent);
  return out.slice(0, 5);
})()`

// axe runs the rules for screen readers, contrast and keyboards; minor and moderate findings are no failure. Of the tables that are
// all of one make it looks into the first, and not into pictures, which have a name as a whole.
const axe = `[...document.querySelectorAll("details.group")].slice(1).forEach(d => d.open = false), axe.run({exclude: ["figure svg *"]}, {resultTypes: ["violations"]}).then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical")
  .map(v => v.impact + " " + v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0] ? n.any[0].message : "")).join(" | ")))`

// beside lists what stands in the column of labels, where a table has its cells below one another with a label before each.
const beside = `[...document.querySelectorAll(".metrics tbody td[data-label]:not([colspan])")].filter(td => {
  const cell = td.getBoundingClientRect(), all = document.createRange();
  all.selectNodeContents(td);
  return cell.width > 0 && [...all.getClientRects()].some(r => r.width > 0 && r.left < cell.left + cell.width * .39);
}).slice(0, 5).map(td => td.dataset.label + ": " + td.textContent)`

// closed lists what readers of paper can't open and would see as an empty box.
const closed = `[...document.querySelectorAll("details.group")].map(d => (d.open = false, d)).filter(d => d.getBoundingClientRect().height > 0).map(d => d.textContent.slice(0, 60))`

// Check holds a page against what every page must do.
func Check(t *testing.T, html []byte) {
	tab := Open(t, html)
	tab.Ready()
	none := func(what, expression string) {
		t.Helper()
		for _, text := range Eval[[]string](tab, expression) {
			t.Errorf("%s: %s", what, text)
		}
	}
	axeSource := axeSource()
	if axeSource == "" {
		t.Log("no axe-core, so its rules were not tried: scripts/browser gets it")
	} else {
		Eval[any](tab, axeSource+";0")
	}
	for _, width := range []int64{1440, 820, 390} {
		Eval[int](tab, openAll)
		tab.Size(width)
		Eval[int](tab, reachAll)
		none(fmt.Sprintf("%d pixels wide", width), beyond)
		if width == 390 {
			none("on a phone, in the place of a label", beside)
		}
		if axeSource != "" && width == 390 {
			none("axe on a phone", axe)
		}
	}
	tab.Size(1440)
	paper := Eval[string](tab, `getComputedStyle(document.body).backgroundColor`)
	tab.media("screen", "dark")
	if dark := Eval[string](tab, `getComputedStyle(document.body).backgroundColor`); dark == paper {
		t.Errorf("the paper is %s in the dark too", dark)
	}
	if axeSource != "" {
		none("axe, dark", axe)
	}
	Eval[int](tab, openAll)
	tab.media("print", "dark")
	tab.Size(688) // of A4 between its margins
	none("on paper", cut)
	none("on paper", beyond)
	none("on paper", crumbs)
	none("closed on paper", closed)
	if ink := Eval[string](tab, `getComputedStyle(document.body).backgroundColor`); ink != paper {
		t.Errorf("printed in the dark, the paper is %s, want %s", ink, paper)
	}
	tab.media("screen", "light")
	if pdf := do(tab, chromedp.PrintToPDF()); !strings.HasPrefix(string(pdf), "%PDF-") {
		t.Errorf("printed to %d bytes that are no PDF", len(pdf))
	}
	tab.Quiet()
	tab.withoutScripts()
}

// withoutScripts looks at the page as it is where no script runs: it fits, and its pictures and tables are there.
func (tab *Tab) withoutScripts() {
	tab.t.Helper()
	call(tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	tab.Size(390)
	tab.load()
	for _, text := range Eval[[]string](tab, beyond) {
		tab.t.Errorf("without scripts: %s", text)
	}
	const seen = `["svg", "table", "h1", "h2"].filter(name => ![...document.querySelectorAll(name)].some(e => e.getBoundingClientRect().width > 0))`
	for _, name := range Eval[[]string](tab, seen) {
		tab.t.Errorf("without scripts nothing is seen of any %s", name)
	}
	if n := Eval[int](tab, `document.querySelectorAll("canvas, button:not([hidden])").length`); n != 0 {
		tab.t.Errorf("without scripts the page has %d buttons and charts that need them", n)
	}
}

// axeSource returns axe-core where scripts/browser put it, empty where it did not.
func axeSource() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	found, _ := filepath.Glob(filepath.Join(cache, "replay", "axe-core-*.js"))
	slices.Sort(found)
	if found == nil {
		return ""
	}
	b, err := os.ReadFile(found[len(found)-1])
	if err != nil {
		return ""
	}
	return string(b)
}
