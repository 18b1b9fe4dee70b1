"use strict";
// The views: each turns the server's answer into elements. `page` leads from one to another.
const SurfaceViews = (() => {
  const { byId, count, describe, element, frame, heatBox, legendBackground, percent, range, shape } = Drawing;
  const { isOpen, opener, panel, toggle, votes } = SurfaceExamples;
  const { VAGUE, axis, bar, breakable, chance, differenceBar, estimate, points, reachOf, remarks, scroller, select, table, working } = SurfaceParts;
  const nameOf = (about, values) => about.attributes.map((a, i) => `${a.name} ${values[i]}`).join(", ");
  const conditions = (about, values) => about.attributes.map((a, i) => `${a.name}:${values[i]}`);
  const LONG = 60; // characters; columns of longer texts get room for a line of that many
  const FEW = 12; // weak slices that are listed at first
  const MANY = 4; // attributes; with more, an arm is named by what differs from the typical

  // An arm in words: all its values, or those that are not the most common ones.
  function armWords(about, values) {
    const parts = about.attributes.map((a, i) => [a.name, values[i], values[i] !== about.typical[i]]);
    const told = parts.length > MANY ? parts.filter(([, , isOther]) => isOther) : parts;
    if (!told.length) return [element("span", { textContent: "the typical arm" })];
    return told.flatMap(([name, value]) => [element("span", {}, element("small", { textContent: name }), ` ${value}`), " "]);
  }

  function typicalNote(about) {
    if (about.attributes.length <= MANY) return [];
    const words = about.attributes.map((a, i) => `${a.name} ${about.typical[i]}`).join(", ");
    return [element("p", { className: "note", textContent: `Arms are named by what differs from the typical, the most common value of each attribute: ${words}.` })];
  }

  // The conditions of a slice, as a filter has them.
  const where = (r) => r.conditions.map(([name, value]) => `${name}:${value}`);

  // The examples under the row that is open.
  const below = (about, state, page, whereOf) => (row) => (isOpen(state, whereOf(row)) ? panel(about, state, page) : null);

  const NOTES = {
    slices: "Parts of the attribute space that are clearly weaker than the whole, most errors first. Overlapping slices are merged. Up to 10% may be false alarms. The thin line is the overall accuracy. A thin slice has few labels of its own and rests on its neighbours. Select a slice to see examples of it.",
    heat: "Orange is below the average of the selection, blue above. Colour fades where the interval is wide, so only well-supported numbers stand out. The line under a number is its interval on a scale from 0 to 100%. Arrow keys move between boxes; select one to see examples of it.",
    marginals: "Accuracy among the rows that share a value. The thin line is the average of the selection. Select a value to filter by it.",
    attributes: "How much of the differences in accuracy between arms each attribute explains. Two attributes that go together may explain the same part; what is left beyond all others tells them apart.",
    worst: "Arms that are clearly bad come first; a small one must be far worse than a large one, since a few rows may all be wrong by chance. The dot is the estimate, the bar its interval and the thin line the overall accuracy; hollow dots and striped bars have too few labels.",
    arms: "One row per combination of attribute values. Arms with few or no labels borrow strength from similar arms. Select an arm to see examples of it.",
    instances: "The labelled instances of the selected arms, those that the service got wrong first, with the answers of people and services. Where attributes are guessed, an instance is listed under every arm that it probably belongs to.",
    progress: "How closely accuracy is known, in points, as labels come in. For the overall accuracy and the worst slice it is half the width of the interval; the worst slice is the attribute value that is known least. For a typical arm it is the error that the fit expects. The forecast continues the trend so far.",
    then: "The surface as it was known at an earlier moment, fitted from scratch, beside the surface now. Grey is then, blue is now.",
    time: "The share of right labels in each stretch of time, with an interval of its own: about one in ten misses the truth. An alarm proves a loss: if nothing lost more than two points, at most 5% of watches ever raise one, however often you look. Only labels drawn at random count.",
    judge: "Where the judge may decide in place of people. Everything is certified first; in a slice that clearly differs, the judge may not decide. For its figure, the dot and bar show what people say and the mark what the judge says. For its decisions, they show the share that differs, and the mark is the tolerance.",
    compare: "Accuracies are those of the services' own surfaces. The same labels score all services, so chance helps or hurts all alike, and a difference is usually known better than either accuracy. In the lower tables, blue: the first is clearly better; orange: clearly worse; grey: unclear.",
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
        const where = [`${rows.name}:${rows.values[r]}`, `${columns.name}:${columns.values[c]}`];
        box.setAttribute("aria-expanded", String(isOpen(state, where)));
        if (isWithin(state, { [rows.name]: rows.values[r], [columns.name]: columns.values[c] }, about)) box.classList.add("marked");
        box.onclick = () => toggle(state, page, where);
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
        legend(average),
        ...(state.open.length ? [element("h3", { textContent: `Examples of ${SurfaceExamples.wordsOf(about, state.open)}` }), panel(about, state, page)] : [])),
      ...remarks(found.remarks),
    ];
  }

  // Whether a box has rows of the part that is open, or of the arm that was chosen in it.
  function isWithin(state, values, about) {
    const chosen = [...new Set([...state.open, ...state.within])];
    const names = about.attributes.map((a) => a.name);
    const asked = Object.entries(values).map(([name, value]) => [value, SurfaceState.valuesOf({ where: chosen }, name, names)]);
    return asked.some(([, kept]) => kept.length) && asked.every(([value, kept]) => !kept.length || kept.includes(value));
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

  function armColumns(about, state, page, level) {
    const open = (r, text) => opener(state, page, conditions(about, r.values), text);
    const arm = about.attributes.length > MANY
      ? [{ title: "arm", className: "arm", cell: (r) => { const made = open(r, ""); made.append(...armWords(about, r.values)); return made; } }]
      : about.attributes.map((a, i) => ({ title: a.name, sort: a.name, cell: (r) => (i ? r.values[i] : open(r, r.values[i])) }));
    return [
      { title: "accuracy", sort: "mean", className: "wide", axis: () => axis(0, 1), cell: (r) => bar(r, level, { isVague: r.status === VAGUE }) },
      { title: "estimate", className: "num stays", cell: estimate },
      ...arm,
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
      ...(shown ? [scroller("Table of arms", table("arms first", armColumns(about, state, page, about.level), found.arms, { sort, order, onSort, caption: "Arms", below: below(about, state, page, (r) => conditions(about, r.values)) }))] : remarks(found.remarks)),
      ...typicalNote(about),
      ...more(found, shown, state, page))];
  }

  function more(found, shown, state, page) {
    if (shown >= found.found || shown >= 1000) return [];
    return [moreButton("Show more", String(Math.min(1000, shown + 200)), state, page)];
  }

  function moreButton(text, limit, state, page) {
    const button = element("button", { type: "button", id: "more", textContent: text });
    button.dataset.key = "more";
    button.onclick = () => page.change({ own: { ...state.own, limit } });
    return button;
  }

  function slices(found, state, page) {
    const { about } = found;
    const isWhole = state.own.limit === "all" || found.slices.length <= FEW || found.slices.slice(FEW).some((r) => isOpen(state, where(r)));
    const listed = isWhole ? found.slices : found.slices.slice(0, FEW);
    const bars = [["the overall accuracy minus 5 points", ""], ...[0.9, 0.8, 0.7, 0.6, 0.5].map((b) => [`${percent(b)}%`, String(b)])];
    const asked = state.own.below ?? "";
    if (!bars.some(([, value]) => value === asked)) bars.push([`${percent(+asked, 1)}%`, asked]);
    const control = element("div", { className: "controls" },
      select("below", "Weak is below", bars, asked, (below) => page.change({ own: { ...state.own, below } })));
    const isUnlisted = state.open.length > 0 && !found.slices.some((r) => isOpen(state, where(r)));
    const unlisted = isUnlisted ? [element("p", { className: "note", textContent: `${SurfaceExamples.wordsOf(about, state.open)} is not among the weak slices now.` }), panel(about, state, page)] : [];
    if (!found.slices.length) return [element("div", { className: "card" }, control, ...remarks(found.remarks), ...unlisted)];
    const words = (r) => r.conditions.map(([name, value]) => `${name} = ${value}`).join(" and ");
    const name = (r) => [opener(state, page, where(r), words(r)), ...(r.is_thin ? [" ", element("small", { textContent: "thin" })] : [])];
    const labels = (r) => {
      const link = page.link({ view: "instances", where: where(r), own: {} }, count(r.n));
      link.setAttribute("aria-label", `${count(r.n)} labels: instances of ${words(r)}`);
      return link;
    };
    const columns = [
      { title: "Slice", className: "arm", isHead: true, cell: name },
      { title: "Accuracy", className: "wide", axis: () => axis(0, 1), cell: (r) => bar(r, about.level, { isVague: r.is_thin }) },
      { title: "Estimate", className: "num", cell: estimate },
      { title: "Errors", help: "expected errors among the slice\u2019s pool rows", className: "num", cell: (r) => count(Math.round(r.errors)) },
      { title: "Pool rows", className: "num", cell: (r) => count(Math.round(r.support)) },
      { title: "Labels", className: "num", cell: labels },
      { title: "Chance", help: "probability that the slice is below the bar", className: "num", cell: (r) => chance(r.chance) },
    ];
    return [element("div", { className: "card" },
      control,
      table("worst slices", columns, listed, { caption: `Weak slices, below ${percent(found.bar, 1)}%`, below: below(about, state, page, where), line: about.overall }),
      ...unlisted,
      element("p", { className: "note", id: "shown", textContent: `${count(found.slices.length)} of ${count(found.searched)} slices searched ${found.slices.length === 1 ? "is" : "are"} clearly below ${percent(found.bar, 1)}%${isWhole ? "" : `; the ${FEW} with the most errors are shown`}.` }),
      ...(isWhole ? [] : [moreButton(`Show all ${count(found.slices.length)}`, "all", state, page)]))];
  }

  function worst(found, state, page) {
    const { about } = found;
    if (!found.arms.length) return remarks(found.remarks);
    const arm = (r) => {
      const made = opener(state, page, conditions(about, r.values), "");
      made.append(...armWords(about, r.values));
      return made;
    };
    const columns = [
      { title: "Arm", className: "arm", isHead: true, cell: arm },
      { title: "Accuracy", className: "wide", axis: () => axis(0, 1), cell: (r) => bar(r, about.level, { isVague: r.status === VAGUE }) },
      { title: "Estimate", className: "num", cell: estimate },
      { title: "Labels", className: "num", cell: (r) => instancesLink(about, r, page) },
      { title: "Pool rows", className: "num", cell: (r) => count(r.support) },
    ];
    const change = (key) => (value) => page.change({ own: { ...state.own, [key]: value } });
    return [element("div", { className: "card" },
      element("div", { className: "controls" },
        select("by", "Worst by", [["clearly bad first", "upper"], ["lowest estimate first", "mean"]], found.by, change("by")),
        select("count", "Show", ["15", "30", "60"].map((n) => [n, n]), state.own.count || "15", change("count"))),
      table("worst", columns, found.arms, { caption: "Worst arms", below: below(about, state, page, (r) => conditions(about, r.values)), line: about.overall }),
      ...typicalNote(about))];
  }

  function attributes(found) {
    const { about } = found;
    if (!found.attributes.length) return remarks([working(found, "What matters is"), ...found.remarks].filter(Boolean));
    const most = Math.max(0.1, ...found.attributes.map((r) => r.upper), ...found.pairs.map((r) => r.upper));
    const high = Math.min(1, Math.ceil(10 * most) / 10);
    const columns = (title) => [
      { title, isHead: true, className: "arm", cell: (r) => r.names.join(" \u00d7 ") },
      { title: "Explains, %", className: "wide", axis: () => axis(0, high), cell: (r) => shareBar(r, high, about.level) },
      { title: "Share", className: "num", cell: (r) => [element("b", { textContent: `${percent(r.share)}%` }), element("small", { textContent: ` ${percent(r.lower)}\u2013${percent(r.upper)}` })] },
      { title: "Points", help: "standard deviation of accuracy that it causes", className: "num", cell: (r) => `\u00b1${percent(r.spread, 1)}` },
      ...(title === "Attribute" ? [{ title: "Beyond the others", className: "num spare", cell: (r) => (r.beyond === null ? "\u2013" : `${percent(r.beyond)}%`) }] : []),
      { title: "Finding", cell: (r) => r.finding },
    ];
    const card = (title, rows) => element("div", { className: "card" }, table("worst matters", columns(title), rows, { caption: `${title}s by what they explain` }));
    return [
      element("p", { className: "facts-line", textContent: `Accuracy differs between arms by \u00b1${percent(found.sd, 1)} points (standard deviation over pool rows). The attributes, each on its own, explain ${percent(found.together)}% of the variance together.` }),
      card("Attribute", found.attributes),
      ...(found.pairs.length ? [card("Pair", found.pairs)] : []),
      ...remarks(found.remarks),
    ];
  }

  function shareBar(row, high, level) {
    const made = Drawing.intervalBar({ mean: row.share, lower: row.lower, upper: row.upper }, { low: 0, high, isVague: row.lower <= 0.005 });
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", `explains ${percent(row.share)}% of the variance, ${percent(level)}% interval ${percent(row.lower)}% to ${percent(row.upper)}%`);
    return made;
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
        const button = element("button", { type: "button", className: "plain-button", title: r.value }, ...breakable(r.value));
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
    const isAll = state.own.services === "all";
    const change = (services) => page.change({ own: { ...state.own, services } });
    const said = (service) => [{ title: service, cell: (i) => answer(i.answers[service]) }];
    const isLong = (column, kind) => kind === "text" && found.instances.some((i) => (i.shown[column] ?? "").length > LONG);
    const isUnsure = found.instances.some((i) => i.chance < 0.995);
    const columns = [
      { title: "id", isHead: true, cell: (i) => i.id },
      ...(isUnsure ? [{ title: "chance", help: "probability that it is in these arms", className: "num", cell: (i) => chance(i.chance) }] : []),
      ...(isAll ? [] : said(about.service)),
      { title: "label", cell: (i) => (i.label === null ? element("span", { className: "quiet", textContent: "none yet" }) : element("b", { textContent: i.label })) },
      ...Object.entries(found.shown).map(([column, kind]) => ({ title: column, className: isLong(column, kind) ? "what" : "", cell: (i) => shown(i, column, kind, page) })),
      { title: "answered by", cell: (i) => element("span", { className: Object.keys(i.votes).length > 1 ? "bad" : i.label === null ? "quiet" : "", textContent: i.label === null ? "" : votes(i) }) },
      ...(isAll ? about.services.flatMap(said) : []),
    ];
    const known = found.average ? `Estimate ${percent(found.average.mean, 1)}% (${percent(found.average.lower, 1)}% to ${percent(found.average.upper, 1)}%), ${count(found.average.support)} pool rows. ` : "";
    if (state.own.id && found.instances.length) return [wholeInstance(found, state, page)];
    return [element("div", { className: "card" },
      element("div", { className: "controls" }, select("which", "Show", [["labelled instances", "labelled"], ["all instances", "all"]], state.own.which || "labelled", which),
        ...(about.services.length > 1 ? [select("services", "Answers of", [[about.service, ""], [`all ${count(about.services.length)} services`, "all"]], isAll ? "all" : "", change)] : [])),
      element("p", { className: "note", id: "shown", textContent: `${known}${count(found.labelled)} labelled${state.own.which === "all" ? ` of ${count(found.found)}` : ""}, ${count(found.instances.length)} shown.` }),
      ...(found.instances.length ? [scroller("Table of instances", table("plain worst instances", columns, found.instances, { caption: "Instances" }))] : remarks(found.remarks)),
      ...more(found, found.instances.length, state, page))];
  }

  function shown(instance, column, kind, page) {
    const media = `/media/${encodeURIComponent(column)}?id=${encodeURIComponent(instance.id)}`;
    if (kind === "image") return element("img", { src: media, alt: `${column} of ${instance.id}`, loading: "lazy" });
    if (kind === "audio") {
      const player = element("audio", { src: media, controls: true, preload: "none" });
      player.setAttribute("aria-label", `${column} of ${instance.id}`);
      return player;
    }
    return kind === "text" ? clamped(instance.shown[column], page) : element("span", { className: "whole", textContent: instance.shown[column] });
  }

  // One instance with all that is known of it.
  function wholeInstance(found, state, page) {
    const [instance] = found.instances;
    const show = Object.entries(found.shown).map(([column, kind]) => ({ column, kind, text: instance.shown[column], media: kind === "image" || kind === "audio" ? `/media/${encodeURIComponent(column)}?id=${encodeURIComponent(instance.id)}` : undefined }));
    const columns = [
      { title: "service", isHead: true, cell: ([name]) => name },
      { title: "answer", cell: ([, said]) => answer(said) },
    ];
    return element("div", { className: "card whole-item", id: "shown" },
      element("h3", { textContent: instance.id }), ...Web.show({ id: instance.id, show }),
      element("p", {}, "It is ", element("b", { textContent: instance.label ?? "not labelled yet", dir: "auto" }), instance.label === null ? "" : `, known from ${votes(instance)}`),
      ...(Object.keys(instance.answers).length ? [table("plain", columns, Object.entries(instance.answers), { caption: "Answers of services" })] : []),
      page.link({ own: { which: state.own.which } }, "All instances"));
  }

  // Three lines of a text, and a button for the rest where there is more.
  function clamped(text, page) {
    const part = element("span", { className: "clamped", textContent: text, dir: "auto" });
    const button = element("button", { type: "button", className: "link-button", textContent: "more", hidden: true });
    button.onclick = () => {
      const isOpen = part.classList.toggle("open");
      button.textContent = isOpen ? "less" : "more";
      button.setAttribute("aria-expanded", String(isOpen));
    };
    button.setAttribute("aria-expanded", "false");
    page.whenDrawn(() => { if (!part.classList.contains("open")) button.hidden = part.scrollHeight <= part.clientHeight + 1; });
    return [part, button];
  }

  function answer(said) {
    if (!said) return element("span", { className: "quiet", textContent: "\u2013" });
    const mark = said.score >= 1 ? "right" : said.score <= 0 ? "wrong" : `${percent(said.score)}%`;
    return [said.answer || element("span", { className: "quiet", textContent: "no answer" }), " ", element("small", { className: said.score >= 1 ? "quiet" : "bad", textContent: mark })];
  }

  function progress(found, state, page) {
    const { about } = found;
    const facts = [`${count(about.told)} labels; ${Web.spending(about.spent, about.budget)}. Labels are chosen ${about.choosing}.`];
    const last = found.points.at(-1);
    if (last) facts.push(`The last fit, to ${count(last.labels)} labels${last.labels > about.told ? " with the seed set" : ""}, knows ${last.overall === null ? "" : `the overall accuracy to \u00b1${percent(last.overall, 1)} points, the least known slice to \u00b1${percent(last.slice, 1)}, and `}a typical arm to \u00b1${percent(last.typical, 1)} points.`);
    if (found.labels_to_halve !== null) {
      const soon = ahead(found, found.batch);
      const halved = last.typical / Math.SQRT2;
      facts.push(`The next ${count(found.batch)} labels should bring that to about \u00b1${(10 * Math.sqrt(soon)).toFixed(1)}; about ${count(Math.round(found.labels_to_halve))} more to \u00b1${percent(halved, 1)}, which halves the squared error.`);
    }
    const chart = element("div", { className: "chart", id: "curve" });
    if (last) page.whenDrawn(() => drawCurve(chart, found));
    const key = element("div", { className: "keys" }, ...[...seriesOf(found).map(([text, , colour]) => [text, colour]), ...(found.ahead.length ? [["typical arm, forecast", Drawing.SERIES[2], "ahead"]] : [])].map(([text, colour, className = ""]) => {
      const span = element("span", { textContent: text, className });
      span.style.setProperty("--key", colour);
      return span;
    }));
    return [
      element("div", { className: "card" }, element("p", { className: "facts-line", textContent: facts.join(" ") }), ...(last ? [key, chart] : []), ...remarks(found.remarks)),
      goals(found),
      goal(found, state, page),
    ];
  }

  // The surface as it was, beside what it is; times are in UTC.
  function then(found, state, page) {
    if (!found.then) return remarks([working(found, "The surface of that moment is"), ...found.remarks].filter(Boolean));
    const { about } = found;
    const pick = (key, label, value) => {
      const input = element("input", { type: "datetime-local", value, min: found.first, max: "2100-01-01T00:00" });
      input.dataset.key = key;
      input.onchange = () => page.change({ own: { ...state.own, [key]: input.value } });
      return element("label", {}, `${label} `, input);
    };
    const known = (s) => `${percent(s.overall.mean, 1)}% (${percent(s.overall.lower, 1)} to ${percent(s.overall.upper, 1)}%) from ${count(s.labels)} labels`;
    const when = found.now.at === "now" ? "Now" : `At ${found.now.at.replace("T", " ")}`;
    const list = (text, names) => (names.length ? [element("li", {}, element("b", { textContent: text }), ` ${names.join("; ")}`)] : []);
    const ends = found.changes.flatMap((c) => [c.then, c.now]).filter(Boolean).flatMap((n) => [n.lower, n.upper]);
    const low = Math.max(0, Math.floor(10 * Math.min(...ends)) / 10), high = Math.min(1, Math.ceil(10 * Math.max(...ends)) / 10);
    const names = [...new Set(found.changes.map((c) => c.attribute))];
    const side = (numbers, className) => (numbers ? [bar(numbers, about.level, { low, high, className })] : []);
    const cards = names.map((name) => {
      const columns = [
        { title: "", isHead: true, cell: (c) => breakable(c.value) },
        { title: "", className: "wide", axis: () => axis(low, high), cell: (c) => [...side(c.then, "was"), ...side(c.now, "")] },
        { title: "then", className: "num", cell: (c) => (c.then ? percent(c.then.mean) : "\u2013") },
        { title: "now", className: "num", cell: (c) => element("b", { textContent: c.now ? percent(c.now.mean) : "\u2013" }) },
      ];
      return element("div", { className: "card" }, element("h3", { textContent: name }), bareHead(table("marginal states", columns, found.changes.filter((c) => c.attribute === name), { caption: `Accuracy by ${name}, then and now` })));
    });
    const slices = [...list("New weak slices:", found.new), ...list("No longer weak:", found.gone), ...(found.stayed.length ? [element("li", { textContent: `${count(found.stayed.length)} slices are weak in both.` })] : [])];
    return [
      element("div", { className: "card" },
        element("div", { className: "controls" }, pick("then", "Then (UTC)", found.then.at), pick("now", "and", found.now.at === "now" ? "" : found.now.at)),
        element("p", { className: "facts-line", id: "shown" }, element("b", { textContent: `At ${found.then.at.replace("T", " ")}: ` }), `${known(found.then)}. `, element("b", { textContent: `${when}: ` }), `${known(found.now)}.`),
        ...(slices.length ? [element("ul", { className: "change-list" }, ...slices)] : [])),
      element("div", { className: "multiples" }, ...cards),
      ...remarks(found.remarks),
    ];
  }

  function ahead(found, more) {
    const last = found.points.at(-1);
    return last.error * 2 ** (-Math.log1p(more / last.labels) / Math.log1p(found.labels_to_halve / last.labels));
  }

  function seriesOf(found) {
    const series = [["worst slice", "slice", Drawing.SERIES[1]], ["typical arm", "typical", Drawing.SERIES[2]], ["overall", "overall", Drawing.SERIES[0]]];
    return series.filter(([, key]) => found.points.some((p) => p[key] !== null));
  }

  function drawCurve(chart, found) {
    const every = [...found.points, ...found.ahead];
    const labels = every.map((p) => p.labels);
    const x = { low: Math.min(...labels), high: Math.max(...labels), title: "labels", isWhole: true, show: (v) => v.toLocaleString("en") };
    if (x.low === x.high) Object.assign(x, { low: 0, high: Math.ceil(1.5 * x.high) });
    const values = every.flatMap((p) => [p.typical, p.overall, p.slice]).filter((v) => v !== null);
    const y = { low: 0, high: 108 * Math.max(...values), title: "points", show: (v) => `\u00b1${v}` };
    const { svg, sx, sy } = frame(chart, 290, x, y, { left: 38, right: 14, top: 10, bottom: 40 });
    const line = (part, key, stroke, more) => svg.append(shape("polyline", { points: part.map((p) => `${sx(p.labels).toFixed(1)},${sy(100 * p[key]).toFixed(1)}`).join(" "), fill: "none", stroke, "stroke-linejoin": "round", ...more }));
    line(found.ahead, "typical", Drawing.SERIES[2], { "stroke-width": 2, "stroke-dasharray": "5 5" });
    for (const [text, key, colour] of seriesOf(found)) {
      const known = found.points.filter((p) => p[key] !== null);
      line(known, key, colour, { "stroke-width": 3 });
      known.forEach((p) => {
        svg.append(shape("circle", { cx: sx(p.labels), cy: sy(100 * p[key]), r: 3.5, fill: colour }));
        svg.append(shape("circle", { cx: sx(p.labels), cy: sy(100 * p[key]), r: 10, fill: "transparent", "data-tip": `${text}, ${count(p.labels)} labels: \u00b1${percent(p[key], 1)} points` }));
      });
    }
    const ends = [found.points[0], found.points.at(-1)];
    svg.setAttribute("aria-label", `Points against labels: a typical arm is known to ${percent(ends[0].typical, 1)} after ${count(ends[0].labels)} labels, ${percent(ends[1].typical, 1)} after ${count(ends[1].labels)}${found.ahead.length ? `; forecast ${percent(found.ahead.at(-1).typical, 1)} after ${count(Math.round(found.ahead.at(-1).labels))}` : ""}.`);
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
      form.append(element("p", { className: "answer", textContent: `${plan.said[0].toUpperCase()}${plan.said.slice(1)}.${now} ${working(found, "A newer forecast is")}` }));
    } else if (found.is_behind) form.append(element("p", { className: "answer", role: "status", textContent: working(found, "The forecast is") }));
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
      `: by ${percent(Math.abs(d.difference), 1)} points (${percent(level)}% interval of ${found.first} minus ${found.second}: ${points(d.lower)} to ${points(d.upper)}). Based on ${count(found.labels)} labels. Below, chance is the probability that ${found.first} is better.`);
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
        { title: name, isHead: true, cell: (v) => breakable(v.value) },
        { title: "", className: "wide", axis: () => axis(-reach, reach, (x) => points(x, 0)), cell: (v) => differenceBar(v, reach, level) },
        { title: "chance", help: `probability that ${found.first} is better`, className: "num", cell: (v) => chance(v.probability) },
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
      { title: "chance", help: `probability that ${found.first} is better`, sort: "probability", className: "num", cell: (r) => chance(r.probability) },
      { title: "labels", sort: "n", className: "num", cell: (r) => instancesLink(about, r, page) },
      { title: "pool rows", sort: "support", className: "num", cell: (r) => count(r.support) },
    ];
    const onSort = (key, way) => page.change({ own: { ...state.own, sort: key, order: way } });
    return element("div", { className: "card" }, element("h3", { textContent: "Arm by arm" }),
      element("p", { className: "note", id: "shown", textContent: `${count(found.arms.length)} of ${count(found.found)} arms shown.` }),
      scroller("Table of arms", table("arms", columns, found.arms, { sort, order, onSort, caption: "Differences by arm" })),
      ...more(found, found.arms.length, state, page));
  }

  return { NOTES, draw: { slices, heat, marginals, attributes, worst, arms, instances, progress, then, time: SurfaceTime.draw, judge: SurfaceJudge.draw, compare } };
})();
