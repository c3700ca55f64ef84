// What goes over time: charts below one another that share their axis and zoom together.
class Time {
  constructor(data, root) {
    Object.assign(this, {data, root, from: 0, to: data.end, charts: []});
    const button = (text, f) => el("button", {type: "button", onclick: f}, text);
    this.range = el("span", {role: "status"});
    const zoom = by => { const mid = (this.from + this.to) / 2, half = (this.to - this.from) / 2 * by; this.zoom(mid - half, mid + half); };
    const move = by => { const d = (this.to - this.from) * by; this.zoom(this.from + d, this.to + d); };
    root.replaceChildren(el("div", {class: "tools zoom", role: "group", "aria-label": "Zoom of all charts over time"},
      button("Zoom in", () => zoom(.5)), button("Zoom out", () => zoom(2)), button("Earlier", () => move(-.5)), button("Later", () => move(.5)),
      button("All", () => this.zoom(0, data.end)), this.range), el("p", {class: "hint"}, "Drag over a chart to zoom; all charts follow. Times count from the start, as minutes:seconds, hours:minutes:seconds and days."));
    for (const p of data.panels || []) this.add(p.title, p, f => this.panel(p, f), p.lines.map(l => ({name: l.name, color: l.color, line: true, faint: l.faint})), 130);
    for (const l of data.lanes || []) this.add(l.title, l, f => this.lanes(l, f), l.keys, Math.min(520, Math.max(90, 44 + (l.blocks.most.some(n => n > 1) ? 5 * l.blocks.most.reduce((a, b) => a + b, 0) + 4 * l.rows.length : 16 * l.rows.length))));
    this.say();
    new ResizeObserver(() => this.charts.forEach(c => c.u.setSize({width: c.box.clientWidth, height: c.height}))).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.charts.forEach(c => c.u.redraw(false, true)));
  }

  add(title, p, draw, keys, height) {
    const box = el("div", {class: "chart", css: `height:${height}px`, role: "img", "aria-label": this.inWords(title, p)});
    const legend = el("div", {class: "keys", "aria-hidden": "true"}, ...keys.map(k => el("span", {}, el("i", {class: (k.line ? "line" : "") + (k.faint ? " faint" : ""), css: `--k:var(${k.color < 0 ? "--grey" : "--c" + k.color % 8})`}), k.name)));
    this.root.append(el("figure", {class: "over"}, el("figcaption", {}, title), legend, box));
    whenSeen(box, () => { const u = draw({box, height}); this.charts.push({u, box, height}); });
  }

  // inWords says what a chart shows, for those who do not see it.
  inWords(title, p) {
    if (!p.lines) return `${title}: ${p.rows.length} rows from 0 to ${duration(p.until || this.data.end)}`;
    return title + ": " + p.lines.map(l => {
      const xs = l.values.filter(x => x !== null), mean = xs.reduce((s, x) => s + x, 0) / (xs.length || 1);
      const text = x => amount(p.share ? "share" : "count", x);
      return `${l.name}, mean ${text(mean)}, at most ${text(Math.max(0, ...xs))}`;
    }).join("; ");
  }

  say() { this.range.textContent = `${duration(this.from)} to ${duration(this.to)}`; }

  zoom(from, to) {
    const least = Math.min(1000, this.data.end);
    const span = Math.min(Math.max(to - from, least), this.data.end);
    this.from = Math.max(0, Math.min(from, this.data.end - span));
    this.to = this.from + span;
    this.say();
    this.charts.forEach(c => c.u.setScale("x", {min: this.from, max: this.to}));
  }

  options(f, y, series, more) {
    const axis = {stroke: () => css("--soft"), font: "12px system-ui, sans-serif", grid: {stroke: () => css("--line"), width: 1}, ticks: {stroke: () => css("--line"), width: 1, size: 4}};
    return {
      width: f.box.clientWidth, height: f.height, legend: {show: false}, padding: [6, 10, 0, 0], ...more,
      cursor: {sync: {key: "time"}, y: false, drag: {x: true, y: false, setScale: false}, bind: {dblclick: () => () => { this.zoom(0, this.data.end); return null; }}, ...(more && more.cursor)},
      scales: {x: {time: false, range: () => [this.from, this.to]}, y},
      hooks: {setSelect: [u => {
        if (u.select.width > 4) this.zoom(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
        u.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
      }], ...(more && more.hooks)},
      axes: [{...axis, space: 70, size: 26, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, ...days], values: (u, ts) => ts.map(clock)},
        {...axis, size: left(f.box), space: 24, ...(more && more.yAxis)}],
      series: [{}, ...series],
    };
  }

  panel(p, f) {
    const end = this.data.end, tables = p.lines.map(l => {
      const xs = l.values.map((_, i) => i * l.width);
      xs.push(Math.min(end, xs.length * l.width));
      return [xs, [...l.values, l.values.at(-1)]];
    });
    const top = Math.max(0, ...p.lines.flatMap(l => l.values.filter(x => x !== null)));
    const most = p.share && top > .3 ? Math.max(1, top) : (top || 1) * 1.05;
    const series = p.lines.map(l => ({label: l.name, stroke: () => color(l.color), width: l.faint ? 1 : 1.5, dash: l.faint ? [4, 3] : undefined, points: {show: false}, paths: uPlot.paths.stepped({align: 1}), spanGaps: false}));
    const values = (u, ts) => ts.map(t => p.share ? (100 * t).toFixed(most < .05 ? 1 : 0) + " %" : thousands(t, t % 1 ? 1 : 0));
    const u = new uPlot(this.options(f, {range: () => [0, most]}, series, {yAxis: {values}}), uPlot.join(tables), f.box);
    this.hover(u, f.box, i => p.lines.map((l, k) => {
      const d = u.data[k + 1];
      for (; i > 0 && (d[i] === undefined || d[i] === null); i--);
      return `${l.name} ${amount(p.share ? "share" : "count", d[i])}`;
    }));
    return u;
  }

  // hover shows the values at the pointer.
  hover(u, box, text) {
    const tip = el("div", {class: "tip", hidden: true});
    u.over.append(tip);
    u.over.addEventListener("mouseleave", () => tip.hidden = true);
    u.over.addEventListener("mousemove", () => {
      const {left, idx} = u.cursor;
      if (left < 0 || idx === null) { tip.hidden = true; return; }
      const lines = text(idx, u.posToVal(left, "x"), u.cursor.top);
      if (!lines) { tip.hidden = true; return; }
      tip.replaceChildren(el("b", {}, duration(Math.round(u.posToVal(left, "x")))), ...lines.map(l => el("div", {}, l)));
      tip.hidden = false;
      tip.style.left = left > u.over.clientWidth / 2 ? "" : left + 12 + "px";
      tip.style.right = left > u.over.clientWidth / 2 ? u.over.clientWidth - left + 12 + "px" : "";
    });
  }

  lanes(l, f) {
    const b = l.blocks, n = b.row.length;
    let rows = [], place = new Map();
    // in sight: only rows with something in the span have room, so that zooming in makes room
    const look = () => {
      const seen = new Set();
      for (let i = 0; i < n; i++) if (b.to[i] >= this.from && b.from[i] <= this.to) seen.add(b.row[i]);
      rows = l.rows.map((_, i) => i).filter(i => seen.has(i));
      place = new Map(rows.map((r, i) => [r, i]));
    };
    const draw = u => {
      const c = u.ctx, {left, top, width, height} = u.bbox, h = height / Math.max(rows.length, 1), gap = h > 6 * devicePixelRatio ? Math.min(2 * devicePixelRatio, h * .15) : 0;
      c.save();
      c.beginPath(); c.rect(left, top, width, height); c.clip();
      const fills = l.keys.map(k => color(k.color));
      for (let i = 0; i < n; i++) {
        const at = place.get(b.row[i]);
        if (at === undefined) continue;
        const x0 = u.valToPos(Math.max(b.from[i], this.from), "x", true), x1 = u.valToPos(Math.min(b.to[i], this.to), "x", true), lane = (h - gap) / b.most[b.row[i]];
        c.fillStyle = fills[b.kind[i]];
        c.fillRect(x0, top + at * h + gap / 2 + b.lane[i] * lane, Math.max(x1 - x0, 1), Math.max(lane * (b.most[b.row[i]] > 1 && lane > 3 ? .85 : 1), .6));
      }
      if (l.until && l.until < this.to) { // what begins later is not drawn, which is not the same as that nothing does
        const x = u.valToPos(Math.max(l.until, this.from), "x", true), room = left + width - x, text = "what begins later is not drawn";
        c.fillStyle = css("--tint");
        c.globalAlpha = .7;
        c.fillRect(x, top, room, height);
        c.globalAlpha = 1;
        c.fillStyle = css("--soft");
        c.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
        c.textAlign = "center";
        if (c.measureText(text).width < room) c.fillText(text, x + room / 2, top + height / 2);
      }
      c.restore();
    };
    look();
    const every = () => Math.max(1, Math.ceil(rows.length * 14 / Math.max(f.height - 40, 1)));
    const most = Math.floor(left(f.box) / 7.2);
    const u = new uPlot(this.options(f, {range: () => { look(); return [0, Math.max(rows.length, 1)]; }}, [{points: {show: false}, paths: () => null}], {
      hooks: {draw: [draw]},
      yAxis: {grid: {show: false}, ticks: {show: false},
        splits: () => rows.map((_, i) => rows.length - i - .5).filter((_, i) => i % every() === 0),
        values: (u, ss) => ss.map(s => { const t = l.rows[rows[Math.round(rows.length - s - .5)]] || ""; return t.length > most ? t.slice(0, most - 1) + "…" : t; })},
    }), [[0, this.data.end], [0, 0]], f.box);
    const rowAt = top => rows[Math.floor(top / u.over.clientHeight * rows.length)];
    this.hover(u, f.box, (_, ms, top) => {
      const r = rowAt(top);
      if (r === undefined) return null;
      const here = new Map();
      for (let i = 0; i < n; i++) if (b.row[i] === r && b.from[i] <= ms && b.to[i] >= ms) here.set(b.kind[i], (here.get(b.kind[i]) || 0) + 1);
      return [l.rows[r], ...[...here].map(([k, n]) => (b.most[r] > 1 ? n + " " : "") + l.keys[k].name)];
    });
    if (l.open) u.over.addEventListener("click", () => { const r = rowAt(u.cursor.top); if (r !== undefined && grids[l.open] && !u.select.width) grids[l.open].show(r); });
    return u;
  }
}

// left is the room beside a chart for what its rows are called, the same for all so that their times stand below one another.
const left = box => box.clientWidth < 500 ? 92 : 150;

// days are the steps of an axis of days, up to those of centuries.
const days = [1, 2, 5, 7, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4].map(d => d * 864e5);

// clock writes a time of the axis.
function clock(ms) {
  const s = ms / 1000, d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60, two = x => String(x).padStart(2, "0");
  if (s >= 86400) return s % 86400 ? `${d}d ${two(h)}:${two(m)}` : thousands(d, 0) + " d";
  if (s >= 3600) return `${h}:${two(m)}:${two(Math.floor(s) % 60)}`;
  if (s >= 60 && s % 1 === 0) return `${m}:${two(s % 60)}`;
  return +s.toFixed(3) + " s";
}
