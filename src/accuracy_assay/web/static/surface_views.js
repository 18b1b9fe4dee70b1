"use strict";
// The views: each turns the server's answer into elements. `page` leads from one to another.
const SurfaceViews = (() => {
  const { byId, count, describe, element, frame, heatBox, legendBackground, percent, range, shape } = Drawing;
  const { VAGUE, axis, bar, chance, differenceBar, points, reachOf, remarks, scroller, select, table } = SurfaceParts;
  const nameOf = (about, values) => about.attributes.map((a, i) => `${a.name} ${values[i]}`).join(", ");
  const conditions = (about, values) => about.attributes.map((a, i) => `${a.name}:${values[i]}`);

  const NOTES = {
    slices: "Parts of the attribute space that are clearly weaker than the whole, most errors first. Overlapping slices are merged. Up to 10% may be false alarms. A thin slice has few labels of its own and rests on its neighbours. Select a slice to see its arms, or its labels to see the instances.",
    heat: "Orange is below the average of the selection, blue above. Colour fades where the interval is wide, so only well-supported numbers stand out. The line under a number is its interval on a scale from 0 to 100%. Arrow keys move between boxes; select one to see its arms.",
    marginals: "Accuracy among the rows that share a value. The thin line is the average of the selection. Select a value to filter by it.",
    worst: "The most surely bad arms come first; a small one must be far worse than a large one, since a few rows are all wrong by chance. The dot is the estimate and the bar its interval; hollow dots and striped bars have too few labels.",
    arms: "One row per combination of attribute values. Arms with few or no labels borrow strength from similar arms. Select the labels of an arm to see its instances.",
    instances: "The labelled instances of the selected arms, with the answers of people and services. Where attributes are guessed, an instance is listed under every arm that it may well belong to.",
    progress: "The error that each fit expects of itself: the mean over arms of the squared distance between estimate and truth, times 100. The forecast extends its fall so far.",
    time: "The share of labels that are right, stretch by stretch, with the interval of each alone: of many stretches one in ten misses. Alarms are what proves a loss: if nothing lost more than two points, at most 5% of watches ever raise one, however often you look. Only labels that were drawn at random count.",
    compare: "Accuracies are those of the services' own surfaces. The same labels score all services, so their errors go together, and a difference is usually known better than either accuracy. In the lower tables, blue: the first is surely better; orange: surely worse; grey: unclear.",
  };

  function heat(found, state, page) {
    if (!found.rows || !found.boxes.length) return remarks(found.remarks);
    const { about, rows, columns, average } = found;
    const names = about.attributes.map((a) => [a.name, a.name]);
    const swap = (key, other) => (value) => page.change({ own: { ...state.own, rows: rows.name, columns: columns.name, [key]: value, ...(found[other].name === value ? { [other]: found[key].name } : {}) } });
    const holder = element("div", { id: "heat" });
    holder.setAttribute("role", "group");
    holder.setAttribute("aria-label", `Accuracy by ${rows.name} and ${columns.name}; arrow keys move between boxes`);
    const at = new Map(found.boxes.map((box) => [`${box.row},${box.column}`, box]));
    const usedRows = range(rows.values.length).filter((r) => found.boxes.some((b) => b.row === r));
    const usedColumns = range(columns.values.length).filter((c) => found.boxes.some((b) => b.column === c));
    holder.style.gridTemplateColumns = `max-content repeat(${usedColumns.length}, minmax(33px, 1fr))`;
    holder.append(element("span", { className: "h corner", textContent: `${rows.name} \u2193\n${columns.name} \u2192` }));
    usedColumns.forEach((c) => holder.append(element("span", { className: "h top", textContent: columns.values[c], title: columns.values[c] })));
    usedRows.forEach((r, y) => {
      holder.append(element("span", { className: "h", textContent: rows.values[r], title: rows.values[r] }));
      usedColumns.forEach((c, x) => {
        const row = at.get(`${r},${c}`);
        if (!row) { holder.append(element("span", { className: "none", title: "not in the pool" })); return; }
        const box = heatBox(row, row.mean, row.upper - row.lower, average.mean, true);
        box.style.setProperty("--box", box.style.background);
        const name = `${rows.name} ${rows.values[r]}, ${columns.name} ${columns.values[c]}`;
        box.dataset.tip = `${name}\n${describe(row)}`;
        box.setAttribute("aria-label", box.dataset.tip.replaceAll("\n", "; "));
        box.dataset.key = `box ${r} ${c}`;
        Object.assign(box.dataset, { x, y });
        box.tabIndex = -1;
        box.onclick = () => page.filter({ [rows.name]: rows.values[r], [columns.name]: columns.values[c] }, "arms");
        holder.append(box);
      });
    });
    rove(holder);
    return [
      element("div", { className: "card" },
        element("div", { className: "controls" },
          select("rows", "Rows", names, rows.name, swap("rows", "columns")),
          select("columns", "Columns", names, columns.name, swap("columns", "rows"))),
        scroller("Boxes of the heat map", holder),
        legend(average)),
      ...remarks(found.remarks),
    ];
  }

  // The tab key reaches one box; arrow keys move to its neighbours.
  function rove(holder) {
    const boxes = [...holder.querySelectorAll("button")];
    if (boxes.length) boxes[0].tabIndex = 0;
    const find = (x, y) => boxes.find((b) => +b.dataset.x === x && +b.dataset.y === y);
    const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    holder.addEventListener("focusin", (event) => boxes.forEach((b) => { b.tabIndex = b === event.target ? 0 : -1; }));
    holder.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (!step || !event.target.dataset.x) return;
      event.preventDefault();
      let [x, y] = [+event.target.dataset.x + step[0], +event.target.dataset.y + step[1]];
      const most = boxes.length;
      for (let k = 0; k < most; k += 1, x += step[0], y += step[1]) {
        const next = find(x, y);
        if (next) { next.focus(); return; }
      }
    });
  }

  function legend(average) {
    const strip = element("i");
    strip.style.background = legendBackground(average.mean);
    const mark = element("b", { textContent: `average ${percent(average.mean)}%` });
    mark.style.left = `${percent(average.mean, 2)}%`;
    strip.append(mark);
    return element("div", { className: "legend" }, element("span", { textContent: "0%" }), strip, element("span", { textContent: "100%" }));
  }

  function armColumns(about, page, level) {
    return [
      ...about.attributes.map((a, i) => ({ title: a.name, sort: a.name, cell: (r) => r.values[i] })),
      { title: "accuracy", sort: "mean", className: "wide", axis: () => axis(0, 1), cell: (r) => bar(r, level, { isVague: r.status === VAGUE }) },
      { title: "estimate", className: "num", cell: (r) => percent(r.mean) },
      { title: "lower", sort: "lower", className: "num", cell: (r) => percent(r.lower) },
      { title: "upper", sort: "upper", className: "num", cell: (r) => percent(r.upper) },
      { title: "labels", sort: "n", className: "num", cell: (r) => instancesLink(about, r, page) },
      { title: "pool rows", sort: "support", className: "num", cell: (r) => count(r.support) },
      { title: "errors", sort: "errors", help: "expected errors among the arm\u2019s pool rows", className: "num", cell: (r) => r.errors.toFixed(1) },
      { title: "status", sort: "status", className: "status", cell: (r) => r.status },
    ];
  }

  function instancesLink(about, row, page) {
    const link = page.link({ view: "instances", where: conditions(about, row.values), own: {} }, count(row.n));
    link.setAttribute("aria-label", `${count(row.n)} labels: instances of ${nameOf(about, row.values)}`);
    link.dataset.key = `arm ${row.arm}`;
    return link;
  }

  function arms(found, state, page) {
    const { about } = found;
    const sort = state.own.sort || "mean", order = state.own.order || "ascending";
    const onSort = (key, way) => page.change({ own: { ...state.own, sort: key, order: way, limit: "" } });
    const shown = found.arms.length;
    return [element("div", { className: "card" },
      element("p", { className: "note", id: "shown", textContent: `${count(shown)} of ${count(found.found)} arms shown${found.found < found.all ? `, ${count(found.all)} in all` : ""}.` }),
      ...(shown ? [scroller("Table of arms", table("arms", armColumns(about, page, about.level), found.arms, { sort, order, onSort, caption: "Arms" }))] : remarks(found.remarks)),
      ...more(found, shown, state, page))];
  }

  function more(found, shown, state, page) {
    if (shown >= found.found || shown >= 1000) return [];
    const button = element("button", { type: "button", id: "more", textContent: "Show more" });
    button.dataset.key = "more";
    button.onclick = () => page.change({ own: { ...state.own, limit: String(Math.min(1000, shown + 200)) } });
    return [button];
  }

  function slices(found, state, page) {
    const { about } = found;
    const bars = [["the overall accuracy minus 5 points", ""], ...[0.9, 0.8, 0.7, 0.6, 0.5].map((b) => [`${percent(b)}%`, String(b)])];
    const asked = state.own.below ?? "";
    if (!bars.some(([, value]) => value === asked)) bars.push([`${percent(+asked, 1)}%`, asked]);
    const control = element("div", { className: "controls" },
      select("below", "Weak is below", bars, asked, (below) => page.change({ own: { ...state.own, below } })));
    if (!found.slices.length) return [element("div", { className: "card" }, control, ...remarks(found.remarks))];
    const words = (r) => r.conditions.map(([name, value]) => `${name} = ${value}`).join(" and ");
    const where = (r) => r.conditions.map(([name, value]) => `${name}:${value}`);
    const name = (r) => [page.link({ view: "arms", where: where(r), own: {} }, words(r)), ...(r.is_thin ? [" ", element("small", { textContent: "thin" })] : [])];
    const labels = (r) => {
      const link = page.link({ view: "instances", where: where(r), own: {} }, count(r.n));
      link.setAttribute("aria-label", `${count(r.n)} labels: instances of ${words(r)}`);
      return link;
    };
    const columns = [
      { title: "Slice", className: "arm", isHead: true, cell: name },
      { title: "Accuracy", className: "wide", axis: () => axis(0, 1), cell: (r) => bar(r, about.level, { isVague: r.is_thin }) },
      { title: "Estimate", className: "num", cell: (r) => [element("b", { textContent: percent(r.mean) }), element("small", { textContent: ` ${percent(r.lower)}\u2013${percent(r.upper)}` })] },
      { title: "Errors", help: "expected errors among the slice\u2019s pool rows", className: "num", cell: (r) => count(Math.round(r.errors)) },
      { title: "Pool rows", className: "num", cell: (r) => count(Math.round(r.support)) },
      { title: "Labels", className: "num", cell: labels },
      { title: "Chance", help: "probability that the slice is below the bar", className: "num", cell: (r) => chance(r.chance) },
    ];
    return [element("div", { className: "card" },
      control,
      table("worst slices", columns, found.slices, { caption: `Weak slices, below ${percent(found.bar, 1)}%` }),
      element("p", { className: "note", id: "shown", textContent: `${count(found.slices.length)} of ${count(found.searched)} slices searched are clearly below ${percent(found.bar, 1)}%.` }))];
  }

  function worst(found, state, page) {
    const { about } = found;
    if (!found.arms.length) return remarks(found.remarks);
    const arm = (r) => about.attributes.flatMap((a, i) => [element("span", {}, element("small", { textContent: a.name }), ` ${r.values[i]}`), " "]);
    const columns = [
      { title: "Arm", className: "arm", isHead: true, cell: arm },
      { title: "Accuracy", className: "wide", axis: () => axis(0, 1), cell: (r) => bar(r, about.level, { isVague: r.status === VAGUE }) },
      { title: "Estimate", className: "num", cell: (r) => [element("b", { textContent: percent(r.mean) }), element("small", { textContent: ` ${percent(r.lower)}\u2013${percent(r.upper)}` })] },
      { title: "Labels", className: "num", cell: (r) => instancesLink(about, r, page) },
      { title: "Pool rows", className: "num", cell: (r) => count(r.support) },
    ];
    const change = (key) => (value) => page.change({ own: { ...state.own, [key]: value } });
    return [element("div", { className: "card" },
      element("div", { className: "controls" },
        select("by", "Worst by", [["surely bad first", "upper"], ["mean: lowest first", "mean"]], found.by, change("by")),
        select("count", "Show", ["15", "30", "60"].map((n) => [n, n]), state.own.count || "15", change("count"))),
      table("worst", columns, found.arms, { caption: "Worst arms" }))];
  }

  function marginals(found, state, page) {
    if (!found.average) return remarks(found.remarks);
    const { low, high, about } = found;
    const overall = `${percent((found.average.mean - low) / (high - low), 2)}%`;
    const isZoomed = (state.own.zoom || "data") === "data";
    const zoom = element("span", { className: "segments", role: "group", ariaLabel: "Axis" }, ...[["data", "Zoomed to the data"], ["full", "0 to 100%"]].map(([key, text]) => {
      const button = element("button", { type: "button", textContent: text });
      button.dataset.key = `zoom ${key}`;
      button.setAttribute("aria-pressed", String(isZoomed === (key === "data")));
      button.onclick = () => page.change({ own: { ...state.own, zoom: key } });
      return button;
    }));
    const cards = found.marginals.map((marginal) => {
      const value = (r) => {
        const button = element("button", { type: "button", className: "plain-button", textContent: r.value, title: r.value });
        button.setAttribute("aria-label", `filter by ${marginal.name} ${r.value}`);
        button.dataset.key = `value ${marginal.name} ${r.value}`;
        button.onclick = () => page.filter({ [marginal.name]: r.value });
        return button;
      };
      const columns = [
        { title: "", isHead: true, cell: value },
        { title: "", className: "wide", axis: () => axis(low, high, (x) => percent(x, high - low < 0.1 ? 1 : 0)), cell: (r) => bar(r, about.level, { low, high }) },
        { title: "", className: "num", cell: (r) => element("b", { textContent: percent(r.mean) }) },
      ];
      const card = element("div", { className: "card" }, element("h3", { textContent: marginal.name }), bareHead(table("marginal", columns, marginal.rows, { caption: `Accuracy by ${marginal.name}` })));
      card.style.setProperty("--overall", overall);
      return card;
    });
    return [
      element("div", { className: "controls head" }, element("span", { className: "quiet", textContent: `Average of the selection: ${percent(found.average.mean, 1)}% (${percent(found.average.lower, 1)}% to ${percent(found.average.upper, 1)}%).` }), zoom),
      element("div", { className: "multiples" }, ...cards),
      ...remarks(found.remarks),
    ];
  }

  // Headers without a name are cells of the axis, not headers.
  function bareHead(made) {
    made.querySelectorAll("thead th").forEach((th) => {
      if (th.textContent && !th.querySelector(".iv-axis")) return;
      const td = element("td", { className: th.className }, ...th.childNodes);
      th.replaceWith(td);
    });
    return made;
  }

  function instances(found, state, page) {
    const { about } = found;
    const which = (value) => page.change({ own: { ...state.own, which: value } });
    const isUnsure = found.instances.some((i) => i.chance < 0.995);
    const columns = [
      { title: "id", isHead: true, cell: (i) => i.id },
      ...(isUnsure ? [{ title: "chance", help: "probability that it is in these arms", className: "num", cell: (i) => chance(i.chance) }] : []),
      ...Object.entries(found.shown).map(([column, kind]) => ({ title: column, className: "what", cell: (i) => shown(i, column, kind) })),
      { title: "label", cell: (i) => (i.label === null ? element("span", { className: "quiet", textContent: "none yet" }) : element("b", { textContent: i.label })) },
      { title: "answered by", cell: (i) => votes(i) },
      ...about.services.map((service) => ({ title: service, cell: (i) => answer(i.answers[service]) })),
    ];
    const known = found.average ? `Estimate ${percent(found.average.mean, 1)}% (${percent(found.average.lower, 1)}% to ${percent(found.average.upper, 1)}%), ${count(found.average.support)} pool rows. ` : "";
    return [element("div", { className: "card" },
      element("div", { className: "controls" }, select("which", "Show", [["labelled instances", "labelled"], ["all instances", "all"]], state.own.which || "labelled", which)),
      element("p", { className: "note", id: "shown", textContent: `${known}${count(found.labelled)} labelled${state.own.which === "all" ? ` of ${count(found.found)}` : ""}, ${count(found.instances.length)} shown.` }),
      ...(found.instances.length ? [scroller("Table of instances", table("plain instances", columns, found.instances, { caption: "Instances" }))] : remarks(found.remarks)),
      ...more(found, found.instances.length, state, page))];
  }

  function shown(instance, column, kind) {
    const media = `/media/${encodeURIComponent(column)}?id=${encodeURIComponent(instance.id)}`;
    if (kind === "image") return element("img", { src: media, alt: `${column} of ${instance.id}`, loading: "lazy" });
    if (kind === "audio") {
      const player = element("audio", { src: media, controls: true, preload: "none" });
      player.setAttribute("aria-label", `${column} of ${instance.id}`);
      return player;
    }
    return instance.shown[column];
  }

  function votes(instance) {
    const found = Object.entries(instance.votes);
    if (!found.length) return element("span", { className: "quiet", textContent: instance.label === null ? "" : "from the seed set" });
    if (found.length === 1) return found[0][1] === 1 ? "1 person" : `${count(found[0][1])} people agree`;
    return element("span", { className: "bad", textContent: `${found.map(([label, n]) => `${label} by ${n}`).join(", ")}: disputed` });
  }

  function answer(said) {
    if (!said) return element("span", { className: "quiet", textContent: "\u2013" });
    const mark = said.score >= 1 ? "right" : said.score <= 0 ? "wrong" : `${percent(said.score)}%`;
    return [said.answer, " ", element("small", { className: said.score >= 1 ? "quiet" : "bad", textContent: mark })];
  }

  function progress(found, state, page) {
    const { about } = found;
    const facts = [`${count(about.told)} labels of a budget of ${count(about.budget)}, chosen ${about.choosing}.`];
    const last = found.points.at(-1);
    if (last) facts.push(`The last fit, to ${count(last.labels)} labels${last.labels > about.told ? " with the seed set" : ""}, expects an error of ${last.error.toFixed(2)}: a typical arm is off by ${(10 * Math.sqrt(last.error)).toFixed(1)} points.`);
    if (found.labels_to_halve !== null) {
      const soon = ahead(found, found.batch);
      facts.push(`The next ${count(found.batch)} labels should lower it to about ${soon.toFixed(2)}; about ${count(Math.round(found.labels_to_halve))} more would halve it.`);
    }
    const chart = element("div", { className: "chart", id: "curve" });
    if (last) page.whenDrawn(() => drawCurve(chart, found));
    const key = element("div", { className: "keys" }, ...[["so far", Drawing.SERIES[0]], ...(found.ahead.length ? [["forecast", Drawing.SERIES[1]]] : [])].map(([text, colour]) => {
      const span = element("span", { textContent: text });
      span.style.setProperty("--key", colour);
      return span;
    }));
    return [
      element("div", { className: "card" }, element("p", { className: "facts-line", textContent: facts.join(" ") }), ...(last ? [key, chart] : []), ...remarks(found.remarks)),
      goals(found),
      goal(found, state, page),
    ];
  }

  function ahead(found, more) {
    const last = found.points.at(-1);
    return last.error * 2 ** (-Math.log1p(more / last.labels) / Math.log1p(found.labels_to_halve / last.labels));
  }

  function drawCurve(chart, found) {
    const every = [...found.points, ...found.ahead];
    const labels = every.map((p) => p.labels);
    const x = { low: Math.min(...labels), high: Math.max(...labels), title: "labels", show: (v) => v.toLocaleString("en") };
    if (x.low === x.high) Object.assign(x, { low: 0, high: Math.ceil(1.5 * x.high) });
    const y = { low: 0, high: 1.08 * Math.max(...every.map((p) => p.error)), title: "expected error", show: (v) => String(v) };
    const { svg, sx, sy } = frame(chart, 290, x, y, { left: 38, right: 14, top: 10, bottom: 40 });
    const line = (part, stroke, more) => svg.append(shape("polyline", { points: part.map((p) => `${sx(p.labels).toFixed(1)},${sy(p.error).toFixed(1)}`).join(" "), fill: "none", stroke, "stroke-linejoin": "round", ...more }));
    line(found.points, Drawing.SERIES[0], { "stroke-width": 3 });
    line(found.ahead, Drawing.SERIES[1], { "stroke-width": 2, "stroke-dasharray": "5 5" });
    found.points.forEach((p) => {
      svg.append(shape("circle", { cx: sx(p.labels), cy: sy(p.error), r: 3.5, fill: Drawing.SERIES[0] }));
      svg.append(shape("circle", { cx: sx(p.labels), cy: sy(p.error), r: 10, fill: "transparent", "data-tip": `${count(p.labels)} labels: ${p.error.toFixed(2)}` }));
    });
    const ends = [found.points[0], found.points.at(-1)];
    svg.setAttribute("aria-label", `Expected error against labels: ${ends[0].error.toFixed(2)} after ${count(ends[0].labels)} labels, ${ends[1].error.toFixed(2)} after ${count(ends[1].labels)}${found.ahead.length ? `; forecast ${found.ahead.at(-1).error.toFixed(2)} after ${count(Math.round(found.ahead.at(-1).labels))}` : ""}.`);
  }

  // What labels can be chosen for; the spec says it, and an edit of it changes it.
  function goals(found) {
    const items = Object.entries(found.goals).map(([name, words]) => element("li", {}, element("strong", { textContent: name }), ` ${words}${name === found.goal ? " (now)" : ""}`));
    const how = element("p", { className: "quiet" }, "Change it at any time: ", element("code", { textContent: "assay edit STORE --set assay.goal=worst" }), ". A mix needs its table, too: ", element("code", { textContent: "--set assay.mix=mix.csv" }), ".");
    return element("details", { className: "card goals" }, element("summary", { textContent: "What can labels be chosen for?" }), element("ul", {}, ...items), how);
  }

  function goal(found, state, page) {
    const form = element("form", { className: "card goal" });
    const width = element("input", { type: "number", min: "0.5", max: "49", step: "0.5", required: true, value: state.own.half_width ? String(+(100 * state.own.half_width).toFixed(2)) : "2" });
    width.dataset.key = "half width";
    const of = select("of", "How many labels until", [["the overall accuracy", "overall"], ["every arm", "every-arm"], ["the worst arm", "worst"]], state.own.of || "overall", () => {});
    const button = element("button", { type: "submit", textContent: "Forecast" });
    button.dataset.key = "forecast";
    form.append(of, element("label", {}, "is known to within \u00b1 ", width, " points? "), button);
    form.onsubmit = (event) => {
      event.preventDefault();
      page.change({ own: { half_width: String(width.value / 100), of: of.querySelector("select").value } });
    };
    const plan = found.forecast;
    if (plan) {
      const now = plan.now === null ? "" : ` It is now known to within ${percent(plan.now, 1)} points.`;
      form.append(element("p", { className: "answer", textContent: `${plan.said[0].toUpperCase()}${plan.said.slice(1)}.${now}${found.is_behind ? " A newer forecast is being made." : ""}` }));
    }
    return form;
  }

  function compare(found, state, page) {
    const { about } = found;
    if (found.first_look.length) return SurfaceBoard.firstLook(found);
    if (!found.pair) return remarks(found.remarks);
    const { level } = about;
    const best = found.places[0].service;
    const withBest = (name) => page.change({ own: { ...state.own, first: best, second: name === best ? "" : name } });
    const d = found.pair;
    const [one, two, how] = d.difference >= 0 ? [found.first, found.second, d.probability] : [found.second, found.first, 1 - d.probability];
    const sentence = element("p", { className: "facts-line" },
      element("b", { textContent: one }), ` is more accurate than ${two} with probability `, element("b", { textContent: chance(how) }),
      `: by ${percent(Math.abs(d.difference), 1)} points (${percent(level)}% interval of ${found.first} minus ${found.second}: ${points(d.lower)} to ${points(d.upper)}). Based on ${count(found.labels)} labels${found.is_behind ? "; an update is being made" : ""}.`);
    const services = about.services.map((s) => [s, s]);
    const pick = (key, other) => (value) => page.change({ own: { ...state.own, first: found.first, second: found.second, [key]: value, ...(found[other] === value ? { [other]: found[key] } : {}) } });
    return [
      ...SurfaceBoard.cards(found, state, page, withBest),
      element("div", { className: "card" },
        element("div", { className: "controls" }, select("first", "First", services, found.first, pick("first", "second")), select("second", "Second", services, found.second, pick("second", "first"))),
        sentence,
        byValue(found, level)),
      armDifferences(found, state, page),
      ...remarks(found.remarks),
    ];
  }

  function byValue(found, level) {
    const reach = reachOf(found.values);
    const names = [...new Set(found.values.map((v) => v.attribute))];
    const tables = names.map((name) => {
      const columns = [
        { title: name, isHead: true, cell: (v) => v.value },
        { title: "", className: "wide", axis: () => axis(-reach, reach, (x) => points(x, 0)), cell: (v) => differenceBar(v, reach, level) },
        { title: `${found.first} better`, className: "num", cell: (v) => chance(v.probability) },
      ];
      const made = table("bias", columns, found.values.filter((v) => v.attribute === name), { caption: `Difference by ${name}` });
      made.querySelectorAll("thead th.wide").forEach((th) => th.replaceWith(element("td", { className: "wide" }, ...th.childNodes)));
      return made;
    });
    return element("div", { className: "multiples" }, ...tables);
  }

  function armDifferences(found, state, page) {
    const { about } = found;
    const reach = reachOf(found.arms);
    const sort = state.own.sort || "probability", order = state.own.order || "descending";
    const columns = [
      ...about.attributes.map((a, i) => ({ title: a.name, cell: (r) => r.values[i] })),
      { title: "difference", sort: "difference", className: "wide", axis: () => axis(-reach, reach, (x) => points(x, 0)), cell: (r) => differenceBar(r, reach, about.level) },
      { title: found.first, className: "num", cell: (r) => percent(r.first) },
      { title: found.second, className: "num", cell: (r) => percent(r.second) },
      { title: `${found.first} better`, sort: "probability", className: "num", cell: (r) => chance(r.probability) },
      { title: "labels", sort: "n", className: "num", cell: (r) => instancesLink(about, r, page) },
      { title: "pool rows", sort: "support", className: "num", cell: (r) => count(r.support) },
    ];
    const onSort = (key, way) => page.change({ own: { ...state.own, sort: key, order: way } });
    return element("div", { className: "card" }, element("h3", { textContent: "Arm by arm" }),
      element("p", { className: "note", id: "shown", textContent: `${count(found.arms.length)} of ${count(found.found)} arms shown.` }),
      scroller("Table of arms", table("arms", columns, found.arms, { sort, order, onSort, caption: "Differences by arm" })),
      ...more(found, found.arms.length, state, page));
  }

  return { NOTES, draw: { slices, heat, marginals, worst, arms, instances, progress, time: SurfaceTime.draw, compare } };
})();
