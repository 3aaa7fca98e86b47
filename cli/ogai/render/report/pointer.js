"use strict";
for (const plot of document.querySelectorAll("[data-pointer]")) {
  const { names, range, rows } = JSON.parse(plot.dataset.pointer);
  const cursor = document.createElement("div"), readout = document.createElement("div");
  cursor.className = "cursor";
  readout.className = "readout";
  const hide = () => { cursor.remove(); readout.remove(); };
  const nearest = x => {
    let low = 0, high = rows.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (rows[middle][0] <= x) low = middle; else high = middle;
    }
    return x - rows[low][0] <= rows[high][0] - x ? rows[low] : rows[high];
  };
  const fill = row => readout.replaceChildren(...row.flatMap((value, index) => {
    if (value === null) return [];
    const name = document.createElement("span"), number = document.createElement("b");
    name.textContent = names[index];
    number.textContent = Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
    return [name, number];
  }));
  plot.addEventListener("pointermove", event => {
    const picture = [...plot.children].find(child => child.dataset.left && child.offsetWidth);
    if (!picture || !rows.length) return;
    const box = picture.getBoundingClientRect();
    const left = box.width * picture.dataset.left, width = box.width * picture.dataset.right - left;
    const share = Math.min(1, Math.max(0, (event.clientX - box.left - left) / width));
    const row = nearest(range[0] + share * (range[1] - range[0]));
    const at = left + width * (row[0] - range[0]) / (range[1] - range[0] || 1);
    fill(row);
    plot.append(cursor, readout);
    cursor.style.left = `${at}px`;
    readout.style.left = `${at + 14 + readout.offsetWidth > box.width ? at - 14 - readout.offsetWidth : at + 14}px`;
  });
  plot.addEventListener("pointerleave", hide);
}
