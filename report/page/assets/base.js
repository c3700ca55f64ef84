// The page's own script. It only adds to what the HTML says: without it the page is whole.

// el makes an element; text from the data goes in as text, never as HTML.
const el = (tag, props, ...kids) => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) {
    if (v === null || v === undefined || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k === "class") e.className = v;
    else if (k === "css") e.style.cssText = v;
    else e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...kids.filter(k => k !== null && k !== undefined));
  return e;
};

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const color = i => i < 0 ? css("--grey") : css("--c" + (i % 8));

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const thousands = (x, digits) => x.toLocaleString("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits}).replace("-", "−");

function duration(ms) {
  const a = Math.abs(ms), hour = 3600000;
  if (a === 0) return "0 s";
  if (a < 1000) return thousands(ms, a % 1 ? 1 : 0) + " ms";
  if (a < 120000) return thousands(ms / 1000, 2) + " s";
  if (a < 2 * hour) return thousands(ms / 60000, 2) + " min";
  if (a < 48 * hour) return thousands(ms / hour, 2) + " h";
  return thousands(ms / (24 * hour), 2) + " d";
}

// amount writes a number in its unit, as the rest of the page does.
function amount(unit, x) {
  if (x === null || x === undefined) return "–";
  if (typeof x === "string") return x === "" ? "–" : x;
  switch (unit) {
    case "ms": return duration(x);
    case "share": return thousands(x * 100, 2) + " %";
    case "count": return thousands(Math.round(x), 0);
    case "ratio": case "index": return thousands(x, 3);
  }
  return thousands(x, 2) + " " + unit;
}

// whenSeen calls f once, before the element comes into view.
function whenSeen(e, f) {
  const o = new IntersectionObserver(es => {
    if (!es.some(x => x.isIntersecting)) return;
    o.disconnect();
    f();
  }, {rootMargin: "400px"});
  o.observe(e);
}
