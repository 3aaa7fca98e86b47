for (const figure of document.querySelectorAll("[data-lanes]")) {
  const { width, extent, unit, titles, lanes } = JSON.parse(figure.dataset.lanes);
  const pictures = [...figure.querySelectorAll(".lane svg")], axis = figure.querySelector(".lane-axis div");
  const readout = document.createElement("div"), most = 400;
  readout.className = "readout";
  let from = 0, to = 1;
  const told = (value, step) => value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const show = () => {
    for (const picture of pictures) picture.setAttribute("viewBox", `${from * width} 0 ${(to - from) * width} 1`);
    const shown = (to - from) * extent, rough = shown * 88 / Math.max(88, axis.offsetWidth);
    const power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(digit => power * digit).find(one => one >= rough);
    const ticks = [];
    for (let number = Math.ceil(from * extent / step - 1e-9); number * step <= to * extent + step * 1e-9; number++) {
      const tick = document.createElement("span");
      tick.textContent = `${told(number * step, step)}${ticks.length ? "" : ` ${unit}`}`;
      tick.style.left = `${100 * (number * step / extent - from) / (to - from)}%`;
      ticks.push(tick);
    }
    axis.replaceChildren(...ticks);
    for (const button of figure.querySelectorAll("button")) {
      const part = button.dataset.do;
      button.disabled = part === "in" ? to - from <= 1 / most : part === "left" ? from <= 0 : part === "right" ? to >= 1 : to - from >= 1;
    }
    figure.classList.toggle("near", to - from < 1);
  };
  const look = (begin, size) => {
    size = Math.min(1, Math.max(1 / most, size));
    from = Math.min(1 - size, Math.max(0, begin));
    to = from + size;
    readout.remove();
    show();
  };
  const zoom = (factor, at) => { const size = Math.min(1, Math.max(1 / most, (to - from) * factor)); look(at - (at - from) * size / (to - from), size); };
  const acts = {
    in: () => zoom(0.5, (from + to) / 2), out: () => zoom(2, (from + to) / 2), whole: () => look(0, 1),
    left: () => look(from - (to - from) / 2, to - from), right: () => look(from + (to - from) / 2, to - from),
  };
  const share = event => {
    const box = pictures[0].getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const tell = event => {
    const lane = event.target.closest?.(".lane");
    const index = lane ? [...figure.querySelectorAll(".lane")].indexOf(lane) : -1, runs = lanes[index];
    if (!runs) return readout.remove();
    const at = (from + share(event) * (to - from)) * width;
    let low = 0, high = runs.length / 3 - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (runs[3 * middle] <= at) low = middle; else high = middle - 1; }
    const start = runs[3 * low], length = runs[3 * low + 1], inside = runs.length && at >= start && at <= start + length;
    const lines = [lane.querySelector(".lane-name").textContent, inside ? titles[runs[3 * low + 2]] : figure.dataset.nothing];
    if (inside && figure.dataset.zoom) lines.push([start, start + length].map(place => Number((place / width * extent).toPrecision(5))).join(" to ") + ` ${unit}`);
    readout.replaceChildren(...lines.filter(Boolean).map((line, index) => {
      const one = document.createElement(index ? "span" : "b");
      one.textContent = line;
      return one;
    }));
    const plot = figure.querySelector(".lane-plot"), box = plot.getBoundingClientRect(), picture = lane.querySelector("svg").getBoundingClientRect();
    plot.append(readout);
    const x = event.clientX - box.left;
    readout.style.left = `${Math.max(0, Math.min(x + 14, box.width - readout.offsetWidth))}px`;
    readout.style.top = `${picture.bottom - box.top + 6}px`;
  };
  const plot = figure.querySelector(".lane-plot");
  plot.addEventListener("pointerleave", () => readout.remove());
  if (figure.dataset.zoom) {
    const tools = figure.querySelector(".lane-tools");
    let held = null;
    tools.hidden = false;
    tools.addEventListener("click", event => acts[event.target.closest("button")?.dataset.do]?.());
    plot.addEventListener("dblclick", event => { event.preventDefault(); zoom(event.shiftKey ? 2 : 0.4, from + share(event) * (to - from)); });
    plot.addEventListener("wheel", event => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(event.deltaY / 300), from + share(event) * (to - from));
    }, { passive: false });
    plot.addEventListener("pointerdown", event => { if (event.button === 0 && to - from < 1) { held = [event.clientX, from]; plot.setPointerCapture(event.pointerId); } });
    plot.addEventListener("pointerup", () => { held = null; });
    plot.addEventListener("pointercancel", () => { held = null; });
    plot.addEventListener("pointermove", event => {
      if (held) look(held[1] - (event.clientX - held[0]) / pictures[0].getBoundingClientRect().width * (to - from), to - from);
    });
    new ResizeObserver(show).observe(axis);
  }
  plot.addEventListener("pointermove", tell);
}
