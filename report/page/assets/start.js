// Start: what scripts add comes in when the data can be read; until then, and where it cannot, the HTML stands.
const packed = document.getElementById("data");
for (const box of document.querySelectorAll("input[data-filter]")) {
  const rows = [...document.querySelectorAll(box.dataset.filter + " tbody tr")], groups = [...document.querySelectorAll(box.dataset.filter + " details.group")];
  box.closest(".tools").hidden = false;
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(w => w);
    for (const r of rows) r.hidden = !words.every(w => r.textContent.toLowerCase().includes(w));
    for (const g of groups) {
      const any = [...g.querySelectorAll("tbody tr")].some(r => !r.hidden);
      g.hidden = !any;
      g.open = any && words.length > 0;
    }
  });
}
for (const b of document.querySelectorAll("button[data-copy]")) {
  b.hidden = !navigator.clipboard;
  b.addEventListener("click", () => navigator.clipboard.writeText(document.getElementById(b.dataset.copy).textContent).then(() => b.textContent = "Copied", () => b.textContent = "Not allowed"));
}
if (packed && window.DecompressionStream) unpack(packed.textContent).then(data => {
  document.documentElement.classList.add("live");
  for (const g of data.grids || []) grids[g.id] = new Grid(g, data.end, document.getElementById("grid-" + g.id));
  const over = document.getElementById("over-live");
  if (over) new Time(data, over);
});
