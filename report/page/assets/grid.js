// A grid: rows that sort, search, turn pages and open.
const perPage = 25;
const grids = {};

class Grid {
  constructor(g, end, root) {
    Object.assign(this, {g, end, root, page: 0, query: "", by: g.sort, down: true, open: new Set()});
    this.n = g.cells.length ? g.cells[0].length : 0;
    this.shown = g.columns.map((c, i) => i).filter(i => !g.columns[i].inside);
    const seek = el("input", {type: "search", id: "seek-" + g.id, placeholder: "name, queue, outcome …", oninput: () => { this.query = seek.value; this.page = 0; this.draw(); }});
    this.seek = seek;
    this.count = el("span", {class: "count", role: "status"});
    this.head = el("tr");
    this.body = el("tbody");
    this.pager = el("div", {class: "pager"});
    root.replaceChildren(
      el("div", {class: "tools"}, el("label", {for: seek.id}, "Search " + g.things), seek, this.count),
      el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": g.title}, el("table", {class: "metrics grid"}, el("caption", {class: "quiet"}, g.title), el("thead", {}, this.head), this.body)),
      this.pager);
    this.draw();
  }

  value(row, c) { return this.g.cells[c][row]; }

  find(text) { this.query = this.seek.value = text; this.page = 0; this.draw(); this.root.scrollIntoView({block: "start"}); this.seek.focus({preventScroll: true}); }

  // show opens a row, wherever it is.
  show(row) {
    if (!this.order().includes(row)) this.query = this.seek.value = "";
    this.page = Math.floor(this.order().indexOf(row) / perPage);
    this.open.add(row);
    this.draw();
    const b = this.body.querySelector(`[data-row="${row}"]`);
    b.scrollIntoView({block: "center"});
    b.focus({preventScroll: true});
  }

  order() {
    const words = this.query.toLowerCase().split(/\s+/).filter(w => w);
    const texts = this.g.columns.map((c, i) => i).filter(i => this.g.columns[i].unit === "");
    let rows = Array.from({length: this.n}, (_, i) => i);
    if (words.length) rows = rows.filter(r => words.every(w => texts.some(c => String(this.value(r, c)).toLowerCase().includes(w))));
    const sign = this.down ? -1 : 1;
    return rows.sort((a, b) => {
      const x = this.value(a, this.by), y = this.value(b, this.by);
      if (x === null || y === null) return (x === null) - (y === null) || a - b; // nothing goes last, either way
      const d = typeof x === "string" ? x.localeCompare(y, "en", {numeric: true}) : x - y;
      return sign * d || a - b;
    });
  }

  draw() {
    const rows = this.order(), pages = Math.max(1, Math.ceil(rows.length / perPage));
    this.page = Math.min(this.page, pages - 1);
    const things = this.n === 1 ? this.g.things.replace(/s$/, "") : this.g.things;
    this.count.textContent = rows.length === this.n ? `${thousands(this.n, 0)} ${things}` : `${thousands(rows.length, 0)} of ${thousands(this.n, 0)} ${things}`;
    if (!this.head.childElementCount) this.drawHead();
    [...this.head.children].forEach((th, i) => {
      const c = this.shown[i];
      if (c !== undefined) th.setAttribute("aria-sort", c === this.by ? (this.down ? "descending" : "ascending") : "none");
    });
    const out = [];
    for (const r of rows.slice(this.page * perPage, (this.page + 1) * perPage)) {
      out.push(this.row(r));
      if (this.open.has(r)) out.push(this.detail(r));
    }
    if (!out.length) out.push(el("tr", {}, el("td", {colspan: this.head.childElementCount}, `No ${this.g.things} with “${this.query}”.`)));
    this.body.replaceChildren(...out);
    this.pager.replaceChildren();
    if (pages < 2) return;
    const turn = (by, text) => el("button", {type: "button", disabled: this.page + by < 0 || this.page + by >= pages, onclick: () => { this.page += by; this.draw(); }}, text);
    this.pager.append(turn(-1, "Earlier rows"), el("span", {role: "status"}, `page ${this.page + 1} of ${pages}`), turn(1, "Later rows"));
  }

  drawHead() {
    for (const c of this.shown) {
      const col = this.g.columns[c];
      const better = col.better ? " (" + col.better + " is better)" : "";
      this.head.append(el("th", {scope: "col", class: col.unit ? "n" : null},
        el("button", {type: "button", title: col.about + better, onclick: () => {
          if (this.by === c) this.down = !this.down;
          else [this.by, this.down] = [c, col.unit !== ""];
          this.draw();
        }}, col.name)));
    }
    if (this.g.life) this.head.append(el("th", {scope: "col", class: "life"}, "wait and run over time"));
  }

  row(r) {
    const tr = el("tr");
    for (const c of this.shown) {
      const col = this.g.columns[c], text = amount(col.unit, this.value(r, c));
      if (c === this.shown[0]) {
        const b = el("button", {type: "button", class: "open", "data-row": r, "aria-expanded": String(this.open.has(r)), onclick: () => {
          this.open.has(r) ? this.open.delete(r) : this.open.add(r);
          this.draw();
          this.body.querySelector(`[data-row="${r}"]`).focus();
        }}, text);
        tr.append(el("th", {scope: "row", class: "name"}, b));
        continue;
      }
      const bad = c !== 0 && ["failed", "unfinished", "refused"].includes(text);
      const long = !col.unit && /\S{17}/.test(text); // a word that must break, or the table would be wider than the page
      tr.append(el("td", {class: (col.unit ? "n" : "") + (bad ? " bad" : "") + (long ? " long" : ""), "data-label": col.name}, text));
    }
    if (this.g.life) {
      const [from, start, to] = this.g.life.map(c => this.value(r, c));
      const end = to === null ? this.end : to, first = start === null ? end : start, of = x => (100 * x / this.end).toFixed(2) + "%";
      tr.append(el("td", {class: "life"}, el("span", {class: "bar", "aria-hidden": "true"},
        el("i", {class: "wait", css: `left:${of(from)};width:${of(first - from)}`}), el("i", {class: "run", css: `left:${of(first)};width:${of(end - first)}`}))));
    }
    return tr;
  }

  // detail is what an opened row says: its bars, then everything else.
  detail(r) {
    const inner = el("div", {class: "detail"}), bars = {}, facts = el("dl");
    this.g.columns.forEach((col, c) => {
      const x = this.value(r, c);
      if (x === null || x === "") return;
      if (col.part && this.g.told) return;
      if (col.part) (bars[col.part] ||= []).push([col, x]);
      else if (col.inside) facts.append(el("div", {}, el("dt", {title: col.about}, col.name), el("dd", {}, amount(col.unit, x))));
    });
    for (const b of this.g.told && this.g.told[r] || []) inner.append(this.branch(b));
    for (const [name, parts] of Object.entries(bars)) inner.append(this.parts(name, parts));
    if (facts.childElementCount) inner.append(facts);
    if (this.g.explain) inner.append(el("p", {class: "about"}, this.g.told ? "What it could have done at best: " : "Where its time went: ", el("code", {}, this.g.explain.replace("JOB", String(this.value(r, 0)).split(" ")[0]))));
    if (this.g.finds && grids[this.g.finds]) inner.append(el("button", {type: "button", onclick: () => grids[this.g.finds].find(this.value(r, 0))}, "Show its " + grids[this.g.finds].g.things));
    return el("tr", {class: "opened"}, el("td", {colspan: this.head.childElementCount}, inner));
  }

  // branch is a time by its causes, each with its longest parts.
  branch(b) {
    const list = el("ul", {class: "causes"}), bar = el("span", {class: "bar wide", "aria-hidden": "true"}), of = ms => (100 * ms / b.ms);
    b.causes.forEach((c, i) => {
      bar.append(el("i", {css: `width:${of(c.ms).toFixed(2)}%;background:var(--c${i % 8})`}));
      list.append(el("li", {}, el("i", {css: `background:var(--c${i % 8})`}), `${c.label} `, el("b", {}, duration(c.ms)), ` ${of(c.ms).toFixed(0)} %`,
        c.lines.length ? el("ul", {}, ...c.lines.map(text => el("li", {}, text))) : null));
    });
    return el("div", {}, el("h4", {}, `${duration(b.ms)} ${b.title}`), b.ms ? bar : null, list);
  }

  parts(name, parts) {
    const all = parts.reduce((s, [, x]) => s + x, 0), list = el("ul", {class: "parts"}), bar = el("span", {class: "bar wide", "aria-hidden": "true"});
    parts.forEach(([col, x], i) => {
      if (!x) return;
      bar.append(el("i", {css: `width:${(100 * x / all).toFixed(2)}%;background:var(--c${i % 8})`}));
      list.append(el("li", {title: col.about}, el("i", {css: `background:var(--c${i % 8})`}), `${col.name} `, el("b", {}, amount(col.unit, x)), ` ${(100 * x / all).toFixed(0)} %`));
    });
    return el("div", {}, el("h4", {}, `${name}: ${amount(parts[0][0].unit, all)}`), all ? bar : null, list);
  }
}
