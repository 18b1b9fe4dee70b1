"use strict";
// Parts that views share: bars, sortable tables, probabilities in words.
const SurfaceParts = (() => {
  const { count, describe, element, intervalBar, percent, ticks } = Drawing;
  const VAGUE = "rests mostly on arms like it";

  const points = (x, places = 1) => `${x > 0 ? "+" : x < 0 ? "\u2212" : ""}${Math.abs(100 * x).toFixed(places)}`;

  // Draws are not more precise than this, and nothing is certain.
  function chance(p) {
    if (p > 0.99) return "over 99%";
    return p < 0.01 ? "under 1%" : `${percent(p)}%`;
  }

  // A name that may break after the marks inside it, rather than anywhere.
  function breakable(text) {
    return text.split(/(?<=[_\/.\-])/).flatMap((part, k) => (k ? [element("wbr"), part] : [part]));
  }

  // An estimate and the ends of its interval, in percent.
  function estimate(row) {
    return [element("b", { textContent: percent(row.mean) }), element("small", { textContent: ` ${percent(row.lower)}\u2013${percent(row.upper)}` })];
  }

  function said(row, level) {
    return `${percent(row.mean, 1)}%, ${percent(level)}% interval ${percent(row.lower)}% to ${percent(row.upper)}%`;
  }

  function bar(row, level, options = {}) {
    const made = intervalBar(row, options);
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", said(row, level));
    made.dataset.tip = describe(row);
    return made;
  }

  // How much better the first of two is: blue where surely better, orange where surely worse.
  function differenceBar(row, reach, level) {
    const kind = row.lower > 0 ? "better" : row.upper < 0 ? "worse" : "unclear";
    const ends = { mean: row.difference, lower: row.lower, upper: row.upper };
    const made = intervalBar(ends, { low: -reach, high: reach, className: `around ${kind}` });
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", `${points(row.difference)} points, ${percent(level)}% interval ${points(row.lower)} to ${points(row.upper)}`);
    made.dataset.tip = `${points(row.difference)} points  (${points(row.lower)} to ${points(row.upper)})\n${count(row.n)} labels, ${count(row.support)} pool rows`;
    return made;
  }

  // The ends of an axis of differences: symmetric, at a round number.
  function reachOf(rows) {
    const most = Math.max(0.02, ...rows.flatMap((r) => [Math.abs(r.lower), Math.abs(r.upper)]));
    return [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((r) => r >= most) ?? 1;
  }

  // The numbers above bars, at round values.
  function axis(low, high, show = (x) => percent(x)) {
    const holder = element("span", { className: "iv-axis", ariaHidden: "true" });
    ticks(low, high, 3).forEach((x) => {
      const mark = element("b", { textContent: show(x) });
      mark.style.left = `${percent((x - low) / (high - low), 2)}%`;
      holder.append(mark);
    });
    return holder;
  }

  // A table with sortable columns; each column fills its own cells. Rows are already in order. Bars
  // from 0 to 100% get a thin line at the mean of `line`, such as the overall accuracy.
  function table(className, columns, rows, { sort = "", order = "ascending", onSort = null, caption = "", below = null, line = null } = {}) {
    const head = element("tr", {}, ...columns.map((column) => {
      const th = element("th", { className: column.className ?? "", scope: "col" });
      if (column.help) th.title = column.help;
      if (column.sort && onSort) {
        const button = element("button", { type: "button", textContent: column.title });
        button.dataset.key = `sort ${column.sort}`;
        button.onclick = () => onSort(column.sort, sort === column.sort && order === "ascending" ? "descending" : "ascending");
        th.append(button);
        if (column.sort === sort) th.setAttribute("aria-sort", order);
      } else th.append(column.title);
      if (column.axis) th.append(column.axis());
      return th;
    }));
    const body = rows.flatMap((row) => {
      const tr = element("tr", { className: row.status === "not in pool" ? "empty" : "" });
      columns.forEach((column) => {
        const content = column.cell(row);
        const cell = element(column.isHead ? "th" : "td", { className: column.className ?? "value" }, ...(Array.isArray(content) ? content : [content]));
        if (column.isHead) cell.scope = "row";
        cell.dataset.label = column.title;
        tr.append(cell);
      });
      const more = below?.(row);
      if (!more) return [tr];
      tr.classList.add("is-open");
      return [tr, element("tr", { className: "opened" }, element("td", { colSpan: columns.length }, more))];
    });
    const made = element("table", { className }, element("thead", {}, head), element("tbody", {}, ...body));
    if (line) made.style.setProperty("--overall", `${percent(line.mean, 2)}%`);
    if (caption) made.prepend(element("caption", { className: "unseen", textContent: caption }));
    return made;
  }

  function scroller(name, ...children) {
    const holder = element("div", { className: "scroll", tabIndex: 0 }, ...children);
    holder.setAttribute("role", "region");
    holder.setAttribute("aria-label", name);
    holder.dataset.key = `scroll ${name}`;
    return holder;
  }

  function select(name, label, options, value, onChange, isNamed = true) {
    const made = element("select", {}, ...options.map(([text, key]) => Drawing.option(text, key, key === value)));
    made.dataset.key = name;
    made.onchange = () => onChange(made.value);
    if (isNamed) return element("label", {}, `${label} `, made);
    made.setAttribute("aria-label", label);
    return made;
  }

  // What is being computed, and for how long; empty where nothing is.
  function working(found, what) {
    return found.is_behind ? `${what} being computed; ${found.seconds < 1 ? "just begun" : `${count(Math.round(found.seconds))} s so far`}.` : "";
  }

  function remarks(texts) {
    return texts.map((text) => element("p", { className: "note", textContent: text }));
  }

  return { VAGUE, axis, bar, breakable, chance, differenceBar, estimate, points, reachOf, remarks, scroller, select, table, working };
})();
