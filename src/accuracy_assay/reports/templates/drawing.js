"use strict";
// What pages that show a surface share: elements, numbers, colour, charts, intervals, tip and theme.
const Drawing = (() => {
  const byId = (id) => document.getElementById(id);
  const percent = (x, places = 0) => (100 * x).toFixed(places);
  const count = (x) => (Number.isInteger(x) || x >= 100 ? Math.round(x).toLocaleString("en") : x.toFixed(1));
  const range = (n) => Array.from({ length: n }, (_, i) => i);
  const SERIES = ["var(--blue)", "var(--bad)", "#2e9e77", "#b56fa0", "#c99a1d", "var(--faint)"];

  function element(name, properties = {}, ...children) {
    const node = document.createElement(name);
    Object.assign(node, properties);
    node.append(...children);
    return node;
  }

  function option(text, value, selected = false) {
    return new Option(text, value, selected, selected);
  }

  // Theme: follow the system until the reader chooses.
  function followTheme(button) {
    const root = document.documentElement;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => { root.dataset.theme = dark.matches ? "dark" : "light"; };
    follow();
    dark.addEventListener("change", follow);
    button.onclick = () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; };
  }

  // One tip for all charts, for the pointer and for the keyboard.
  function showTips(tip) {
    const show = (target, x, y, above) => {
      tip.hidden = !target;
      if (!target) return;
      tip.textContent = target.dataset.tip;
      const left = Math.min(x + 14, innerWidth - tip.offsetWidth - 8);
      const top = y + 18 + tip.offsetHeight > innerHeight ? above - tip.offsetHeight - 12 : y + 18;
      tip.style.left = `${Math.max(8, left)}px`;
      tip.style.top = `${top}px`;
    };
    const find = (event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);
    document.addEventListener("pointermove", (event) => show(find(event), event.clientX, event.clientY, event.clientY));
    document.addEventListener("focusin", (event) => {
      const target = find(event);
      if (!target || !target.matches(":focus-visible")) return;
      const box = target.getBoundingClientRect();
      show(target, box.left, box.bottom - 8, box.top + 4);
    });
    document.addEventListener("focusout", () => { tip.hidden = true; });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  }

  function describe(row) {
    const lines = [`${percent(row.mean, 1)}%  (${percent(row.lower)} to ${percent(row.upper)})`];
    if (row.in_rows) lines.push(row.in_rows);
    if (row.truth !== null && row.truth !== undefined) lines.push(`truth ${percent(row.truth, 1)}%`);
    lines.push(`${count(row.n)} labels, ${count(row.support)} pool rows`);
    return lines.join("\n");
  }

  // Strength of colour: distance from the overall accuracy, faded by the interval's width. From isDeep on
  // white is read better than black in the light theme, from isBright on black than white in the dark one.
  function colour(value, width, overall, isError = false) {
    const isBad = value !== overall && value < overall !== isError;
    const reach = value < overall ? overall : 1 - overall;
    const distance = reach > 0 ? Math.abs(value - overall) / reach : 0;
    const strength = Math.min(1, Math.sqrt(distance)) * Math.max(0, 1 - width);
    const css = `color-mix(in oklab, var(--${isBad ? "bad" : "good"}) ${Math.round(100 * strength)}%, var(--mid))`;
    return { css, isDeep: strength >= (isBad ? 0.995 : 0.88), isBright: strength >= (isBad ? 0.63 : 0.67) };
  }

  function legendBackground(overall, isError = false) {
    const stops = range(21).map((k) => `${colour(k / 20, 0, overall, isError).css} ${5 * k}%`);
    return `linear-gradient(90deg, ${stops.join(",")})`;
  }

  // A box of a heat map; what it says and does on a click is the caller's.
  function heatBox(row, value, width, overall, hasBar, { low = 0, high = 1, isError = false } = {}) {
    const { css, isDeep, isBright } = colour(value, width, overall, isError);
    const className = `${isDeep ? "deep" : ""} ${isBright ? "bright" : ""}`.trim();
    const box = element("button", { type: "button", textContent: percent(value), className });
    box.style.background = css;
    if (hasBar) {
      const bar = element("u");
      bar.style.left = `${percent((row.lower - low) / (high - low), 1)}%`;
      bar.style.width = `${percent((row.upper - row.lower) / (high - low), 1)}%`;
      box.append(element("i", {}, bar));
    }
    return box;
  }

  // Charts are drawn at the width they have, so that text keeps its size on a phone.
  const SVG = "http://www.w3.org/2000/svg";
  function shape(name, attrs, text) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attrs)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function ticks(low, high, wanted, isWhole = false) {
    const raw = Math.max((high - low) / wanted, isWhole ? 1 : 0), power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw && (!isWhole || Number.isInteger(s)));
    const first = Math.ceil(low / step - 1e-9);
    return range(Math.floor(high / step + 1e-9) - first + 1).map((k) => +((first + k) * step).toPrecision(12));
  }

  function frame(holder, height, x, y, margin) {
    const width = holder.clientWidth;
    const sx = (v) => margin.left + ((v - x.low) / (x.high - x.low)) * (width - margin.left - margin.right);
    const sy = (v) => height - margin.bottom - ((v - y.low) / (y.high - y.low)) * (height - margin.top - margin.bottom);
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": `${y.title} against ${x.title}` });
    for (const t of ticks(y.low, y.high, 5)) {
      svg.append(shape("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: sy(t), y2: sy(t) }));
      svg.append(shape("text", { x: margin.left - 8, y: sy(t) + 4, "text-anchor": "end" }, y.show(t)));
    }
    for (const t of ticks(x.low, x.high, width < 420 ? 4 : 6, x.isWhole)) svg.append(shape("text", { x: sx(t), y: height - margin.bottom + 18, "text-anchor": "middle" }, x.show(t)));
    svg.append(shape("text", { x: width - margin.right, y: height - 4, "text-anchor": "end" }, x.title));
    holder.replaceChildren(svg);
    return { svg, sx, sy };
  }

  // An interval with its mean, and its truth where that is known, on an axis from low to high.
  function intervalBar(row, { isVague = false, low = 0, high = 1, className = "" } = {}) {
    const at = (v) => Math.min(1, Math.max(0, (v - low) / (high - low)));
    const holder = element("span", { className: `iv${isVague ? " vague" : ""}${className ? ` ${className}` : ""}` });
    const part = (name, left, width) => {
      const i = element("i", { className: name });
      i.style.left = `${percent(left, 1)}%`;
      if (width !== undefined) i.style.width = `${percent(width, 1)}%`;
      holder.append(i);
    };
    part("iv-range", at(row.lower), at(row.upper) - at(row.lower));
    part("iv-mean", at(row.mean));
    if (row.truth !== null && row.truth !== undefined) part("iv-truth", at(row.truth));
    return holder;
  }

  return { SERIES, byId, colour, count, describe, element, followTheme, frame, heatBox, intervalBar, legendBackground, option, percent, range, shape, showTips, ticks };
})();
