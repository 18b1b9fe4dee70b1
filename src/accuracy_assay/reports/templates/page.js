"use strict";
(() => {
  const { SERIES, byId, count, describe, element, frame, heatBox, intervalBar, legendBackground, option, percent, range, shape } = Drawing;
  const data = JSON.parse(document.getElementById("data").textContent);
  const { arms, attributes, overall, is_error: isError } = data;
  const hasTruth = arms.truth.some((t) => t !== null);

  Drawing.followTheme(byId("theme"));
  Drawing.showTips(byId("tip"));

  // On a phone: the first lines of long tables, and sections that open.
  const FIRST = 3;
  const VALUES = 8; // of one attribute
  function unfolder(text, unfold) {
    const button = element("button", { type: "button", className: "unfold", textContent: text });
    button.onclick = () => { unfold(); button.remove(); };
    return button;
  }
  if (matchMedia("(max-width: 720px)").matches) {
    document.querySelectorAll("section.folds").forEach((section) => {
      section.classList.add("folded");
      section.querySelector("h2").after(unfolder("Show", () => section.classList.remove("folded")));
    });
    const shorten = (lines, place, count = FIRST) => {
      const rest = lines.slice(count);
      if (rest.length < 2) return;
      rest.forEach((line) => { line.hidden = true; });
      place.after(unfolder(`Show all ${lines.length}`, () => rest.forEach((line) => { line.hidden = false; })));
    };
    document.querySelectorAll("table.worst").forEach((table) => shorten([...table.tBodies[0].rows], table));
    document.querySelectorAll("table.marginal").forEach((table) => shorten([...table.tBodies[0].rows], table, VALUES));
    document.querySelectorAll(".card").forEach((card) => {
      const cases = [...card.querySelectorAll(":scope > .cases")];
      if (cases.length) shorten(cases, cases.at(-1));
    });
  }

  // Heat map.
  const heat = byId("heat");
  let shown = "mean";
  function drawHeat() {
    const i = +byId("heat-rows").value, j = +byId("heat-columns").value;
    const pair = data.pairs.find((p) => p.of.includes(i) && p.of.includes(j));
    const isSwapped = pair.of[0] !== i;
    const at = new Map(pair.codes.map(([a, b], k) => [isSwapped ? `${b},${a}` : `${a},${b}`, k]));
    const columns = attributes[j].values.length;
    heat.style.gridTemplateColumns = `max-content repeat(${columns}, minmax(33px, 1fr))`;
    const boxes = [element("span", { className: "h corner", textContent: `${attributes[i].name} \u2193\n${attributes[j].name} \u2192` })];
    attributes[j].values.forEach((v) => boxes.push(element("span", { className: "h top", textContent: v, title: v })));
    attributes[i].values.forEach((v, a) => {
      boxes.push(element("span", { className: "h", textContent: v, title: v }));
      for (const b of range(columns)) boxes.push(pairBox(pair, at.get(`${a},${b}`), { [i]: a, [j]: b }));
    });
    heat.replaceChildren(...boxes);
  }

  function pairBox(pair, k, codes) {
    if (k === undefined) return element("span", { className: "none", title: "not in the pool" });
    const row = Object.fromEntries(["mean", "lower", "upper", "in_rows", "n", "support", "truth"].map((c) => [c, pair[c] ? pair[c][k] : null]));
    const value = row[shown] ?? row.mean;
    const box = heatBox(row, value, shown === "truth" ? 0 : row.upper - row.lower, overall.mean, shown === "mean", { ...data.pairs_axis, isError });
    const name = Object.entries(codes).map(([k, c]) => `${attributes[k].name} ${attributes[k].values[c]}`).join(", ");
    box.dataset.tip = `${name}\n${describe(row)}`;
    box.setAttribute("aria-label", box.dataset.tip.replaceAll("\n", "; "));
    box.onclick = () => { choose(codes); byId("all").scrollIntoView(); };
    return box;
  }

  if (heat) {
    const selects = [byId("heat-rows"), byId("heat-columns")];
    selects.forEach((select, s) => {
      attributes.forEach((a, k) => select.append(option(a.name, k, k === data.first_pair[s])));
      select.dataset.was = select.value;
      select.onchange = () => {
        const other = selects[1 - s];
        if (other.value === select.value) other.value = select.dataset.was;
        selects.forEach((x) => { x.dataset.was = x.value; });
        drawHeat();
      };
    });
    document.querySelectorAll("[data-show]").forEach((button) => {
      button.onclick = () => {
        shown = button.dataset.show;
        document.querySelectorAll("[data-show]").forEach((b) => b.setAttribute("aria-pressed", b === button));
        drawHeat();
      };
    });
    byId("legend-bar").style.background = legendBackground(overall.mean, isError);
    drawHeat();
  }

  const METRICS = {
    macro_mse: ["macro error", "Mean squared error over arms, times 100; every arm counts the same. Lower is better."],
    worst_mse: ["worst arms", "The same over the 50 arms with the lowest true accuracy. Lower is better."],
    micro_mse: ["micro error", "The same, with each arm weighted by its pool rows. Lower is better."],
    infrequent_mse: ["rare arms", "The same over the 50 rarest arms. Lower is better."],
    coverage_90: ["coverage", "Percentage of intervals that hold the truth. The promise is 90%."],
  };

  function drawCurves() {
    const metric = byId("metric").value;
    const isCoverage = metric === "coverage_90";
    const lines = data.curves.filter((c) => c[metric]);
    const labels = lines.flatMap((c) => c.labels), values = lines.flatMap((c) => c[metric]);
    const floor = metric === "macro_mse" ? (lines[0].floor_mse ?? []).at(-1) : undefined;
    const low = isCoverage ? Math.max(0, Math.min(...values, 90) - 8) : 0;
    const y = { low, high: isCoverage ? 100 : 1.08 * Math.max(...values), title: METRICS[metric][0], show: String };
    const x = { low: Math.min(...labels), high: Math.max(...labels), title: "labels", isWhole: true, show: (v) => v.toLocaleString("en") };
    if (x.low === x.high) x.high += 1;
    const { svg, sx, sy } = frame(byId("curves"), 290, x, y, { left: 34, right: 14, top: 10, bottom: 40 });
    const base = isCoverage ? 90 : floor;
    if (base !== undefined && base !== null) {
      svg.append(shape("line", { x1: sx(x.low), x2: sx(x.high), y1: sy(base), y2: sy(base), stroke: "var(--faint)", "stroke-dasharray": "4 4" }));
      svg.append(shape("text", { x: sx(x.low) + 2, y: sy(base) - 6 }, isCoverage ? "promise" : "noise of the truth itself"));
    }
    byId("curves-key").replaceChildren(...lines.map((c, k) => {
      const key = element("span", {}, `${c.name} `, element("b", { textContent: c[metric].at(-1).toFixed(isCoverage ? 0 : 2) }));
      key.style.setProperty("--key", SERIES[k % SERIES.length]);
      return key;
    }));
    lines.forEach((c, k) => {
      const points = c.labels.map((l, i) => `${sx(l).toFixed(1)},${sy(c[metric][i]).toFixed(1)}`);
      const stroke = SERIES[k % SERIES.length];
      svg.append(shape("polyline", { points: points.join(" "), fill: "none", stroke, "stroke-width": k ? 2 : 3, "stroke-linejoin": "round", "stroke-linecap": "round" }));
      svg.append(shape("circle", { cx: sx(c.labels.at(-1)), cy: sy(c[metric].at(-1)), r: 4, fill: stroke }));
      c.labels.forEach((l, i) => svg.append(shape("circle", { cx: sx(l), cy: sy(c[metric][i]), r: 9, fill: "transparent", "data-tip": `${c.name}\n${l.toLocaleString("en")} labels: ${c[metric][i].toFixed(2)}` })));
    });
    byId("metric-note").textContent = METRICS[metric][1];
  }

  function drawScatter() {
    const holder = byId("scatter");
    const dots = range(arms.mean.length).filter((k) => arms.truth[k] !== null && arms.support[k] >= data.least_rows);
    const met = dots.flatMap((k) => [arms.mean[k], arms.truth[k]]);
    const step = met.length && Math.max(...met) - Math.min(...met) <= 0.4 ? 0.05 : 0.1;
    const low = met.length ? Math.floor(Math.min(...met) / step) * step : 0;
    const high = met.length ? Math.max(Math.ceil(Math.max(...met) / step) * step, low + 2 * step) : 1;
    const unit = { low, high, show: (v) => percent(v) };
    const { svg, sx, sy } = frame(holder, 290, { ...unit, title: "true accuracy, %" }, { ...unit, title: "estimate, %" }, { left: 34, right: 14, top: 10, bottom: 40 });
    svg.append(shape("line", { x1: sx(low), y1: sy(low), x2: sx(high), y2: sy(high), stroke: "var(--faint)" }));
    const most = Math.max(...arms.support);
    dots.forEach((k) => {
      const isInside = arms.lower[k] <= arms.truth[k] + 1e-4 && arms.truth[k] <= arms.upper[k] + 1e-4;
      svg.append(shape("circle", {
        class: isInside ? "inside" : "outside", cx: sx(arms.truth[k]), cy: sy(arms.mean[k]), r: 2 + 6 * Math.sqrt(arms.support[k] / most),
        "fill-opacity": isInside ? 0.38 : 0.75, "data-tip": `${nameOf(k)}\n${describe(rowOf(k))}`,
      }));
    });
  }

  const rowOf = (k) => Object.fromEntries(["mean", "lower", "upper", "in_rows", "n", "support", "truth"].map((c) => [c, arms[c][k]]));
  const nameOf = (k) => attributes.map((a, i) => `${a.name} ${a.values[arms.codes[k][i]]}`).join(", ");

  function drawCharts() {
    if (byId("curves")) drawCurves();
    if (byId("scatter")) drawScatter();
  }
  if (byId("metric")) {
    Object.entries(METRICS).filter(([m]) => data.curves.some((c) => c[m])).forEach(([m, [name]]) => byId("metric").append(option(name, m)));
    byId("metric").onchange = drawCurves;
  }
  drawCharts();
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; drawCharts(); } });

  // Table of all arms.
  const STEP = 50;
  const state = { key: "mean", ascending: !isError, limit: STEP, text: "", status: "", codes: {} };
  const errors = (k) => arms.support[k] * (isError ? arms.mean[k] : 1 - arms.mean[k]);
  const columns = [
    ...attributes.map((a, i) => ({ key: `a${i}`, title: a.name, value: (k) => arms.codes[k][i], text: (k) => a.values[arms.codes[k][i]] })),
    { key: "mean", title: data.measure, className: "wide", value: (k) => arms.mean[k] },
    { key: "estimate", title: "estimate", className: "num", value: (k) => arms.mean[k], text: (k) => percent(arms.mean[k]) },
    { key: "lower", title: "lower", className: "num", value: (k) => arms.lower[k], text: (k) => percent(arms.lower[k]) },
    { key: "upper", title: "upper", className: "num", value: (k) => arms.upper[k], text: (k) => percent(arms.upper[k]) },
    ...(hasTruth ? [{ key: "truth", title: "truth", className: "num", value: (k) => arms.truth[k] ?? 2, text: (k) => (arms.truth[k] === null ? "\u2013" : percent(arms.truth[k])) }] : []),
    { key: "n", title: "labels", className: "num", value: (k) => arms.n[k], text: (k) => count(arms.n[k]) },
    { key: "support", title: "pool rows", className: "num", value: (k) => arms.support[k], text: (k) => count(arms.support[k]) },
    { key: "errors", title: "errors", help: "errors expected among the arm's pool rows", className: "num", value: errors, text: (k) => errors(k).toFixed(1) },
  ];

  function axis({ low, high, ticks }) {
    const holder = element("span", { className: "iv-axis", ariaHidden: "true" });
    ticks.forEach((t) => {
      const mark = element("b", { textContent: percent(t) + (t === ticks.at(-1) ? "%" : "") });
      mark.style.left = `${percent((t - low) / (high - low), 2)}%`;
      holder.append(mark);
    });
    return holder;
  }

  function cell(column, k) {
    const td = element("td", { className: column.className ?? "value" }, column.text ? column.text(k) : intervalBar(rowOf(k), { isVague: arms.status[k] === 1, ...data.arms_axis }));
    td.dataset.label = column.title;
    if (!column.className) td.title = column.text(k);  // a long value is cut
    return td;
  }

  function matches(k) {
    if (state.status !== "" && arms.status[k] !== +state.status) return false;
    if (Object.entries(state.codes).some(([i, c]) => arms.codes[k][i] !== c)) return false;
    const name = nameOf(k).toLowerCase();
    return state.text.split(/\s+/).every((word) => name.includes(word));
  }

  function drawTable() {
    const column = columns.find((c) => c.key === state.key);
    const sign = state.ascending ? 1 : -1;
    const found = range(arms.mean.length).filter(matches).sort((a, b) => sign * (column.value(a) - column.value(b)) || arms.mean[a] - arms.mean[b]);
    byId("arms-body").replaceChildren(...found.slice(0, state.limit).map((k) => element("tr", { className: arms.status[k] === 2 ? "empty" : "" }, ...columns.map((c) => cell(c, k)))));
    byId("shown").textContent = `${count(Math.min(found.length, state.limit))} of ${count(found.length)} arms shown${found.length < arms.mean.length ? `, ${count(arms.mean.length)} in all` : ""}.`;
    byId("more").hidden = found.length <= state.limit;
    document.querySelectorAll("#arms-head th").forEach((th) => {
      if (th.dataset.key === state.key) th.setAttribute("aria-sort", state.ascending ? "ascending" : "descending");
      else th.removeAttribute("aria-sort");
    });
  }

  function choose(codes) {
    state.codes = Object.fromEntries(Object.entries(codes).filter(([, c]) => c !== null));
    state.limit = STEP;
    document.querySelectorAll("#filters select[data-attribute]").forEach((s) => { s.value = state.codes[s.dataset.attribute] ?? ""; });
    drawTable();
  }

  const search = element("input", { type: "search", placeholder: "Search values", ariaLabel: "Search arms" });
  search.oninput = () => { state.text = search.value.trim().toLowerCase(); state.limit = STEP; drawTable(); };
  byId("filters").append(search);
  attributes.forEach((a, i) => {
    const select = element("select", { ariaLabel: a.name }, option(`any ${a.name}`, ""), ...a.values.map((v, c) => option(`${a.name} ${v}`, c)));
    select.dataset.attribute = i;
    select.onchange = () => choose({ ...state.codes, [i]: select.value === "" ? null : +select.value });
    byId("filters").append(select);
  });
  const status = element("select", { ariaLabel: "status" }, option("any status", ""), ...data.statuses.map((s, k) => option(s, k)));
  status.onchange = () => { state.status = status.value; state.limit = STEP; drawTable(); };
  byId("filters").append(status);
  byId("arms-head").append(element("tr", {}, ...columns.map((c) => {
    const button = element("button", { type: "button", textContent: c.title });
    button.onclick = () => { state.ascending = state.key === c.key ? !state.ascending : true; state.key = c.key; drawTable(); };
    const th = element("th", { className: c.className ?? "", scope: "col", title: c.help ?? "" }, button, ...(c.text ? [] : [axis(data.arms_axis)]));
    th.dataset.key = c.key;
    return th;
  })));

  // The arms of this page as a table, in the order and with the numbers of the surface itself.
  const NUMBERS = ["n", "correct", "support", "mean", "sd", "lower", "upper"];
  const quote = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  function csv() {
    const order = range(arms.mean.length).sort((a, b) => arms.place[a] - arms.place[b]);
    const head = [...attributes.map((a) => a.name), ...NUMBERS, "status", "in_rows"];
    const lines = order.map((k) => [...attributes.map((a, i) => a.values[arms.codes[k][i]]), ...NUMBERS.map((n) => String(arms[n][k])), data.statuses[arms.status[k]], arms.in_rows[k] ?? ""]);
    return [head, ...lines].map((line) => `${line.map(quote).join(",")}\n`).join("");
  }
  const download = byId("csv");
  download.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  download.download = "surface.csv";
  download.hidden = false;

  byId("more").onclick = () => { state.limit += 4 * STEP; drawTable(); };
  drawTable();
})();
