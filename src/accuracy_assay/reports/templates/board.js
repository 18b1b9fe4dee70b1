"use strict";
(() => {
  const { byId, colour, count, element, intervalBar, option, percent } = Drawing;
  const data = JSON.parse(byId("data").textContent);
  const { board, by, arms } = data;
  const MOST_ROWS = 500;
  const points = (x) => (100 * x).toFixed(1).replace(/^-0\.0$/, "0.0");
  const price = (x) => `${+x.toPrecision(6)}`;

  Drawing.followTheme(byId("theme"));
  Drawing.showTips(byId("tip"));

  const matches = (text, search) => text.toLowerCase().includes(search.trim().toLowerCase());
  function cell(name, text, properties = {}) {
    return element(name, { textContent: text, ...properties });
  }

  // A table whose headings sort it: columns have a title, the value to sort by, and what a cell shows.
  function sortable(table, columns, rows, start) {
    let at = start, isDown = columns[start].isDown;
    let pick = () => true, report = () => {};
    function draw() {
      const { value } = columns[at], sign = isDown ? -1 : 1;
      const order = (a, b) => (value(a) < value(b) ? -sign : value(a) > value(b) ? sign : 0);
      const kept = rows.filter((row) => pick(row)).sort(order);
      table.tHead.replaceChildren(element("tr", {}, ...columns.map((column, k) => {
        const head = element("th", { scope: "col", className: column.className || "" });
        const button = element("button", { type: "button", textContent: column.title });
        button.onclick = () => { isDown = at === k ? !isDown : Boolean(column.isDown); at = k; draw(); };
        if (at === k) head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
        head.append(button);
        return head;
      })));
      table.tBodies[0].replaceChildren(...kept.slice(0, MOST_ROWS).map((row) => element("tr", {}, ...columns.map((column) => column.show(row)))));
      report(kept.length);
    }
    return (newPick, newReport) => { pick = newPick; report = newReport; draw(); };
  }

  const number = (title, value, show, isDown = true) => ({ title, value, isDown, className: "num", show: (row) => cell("td", show(row), { className: "num" }) });
  const named = (text) => cell("th", text, { scope: "row", title: text });

  function tied(row) {
    const names = row.tied_with;
    const text = (names.length > 1 ? `${names.length}: ` : "") + names.join(", ");
    const td = cell("td", text, { className: "tied" });
    if (names.length) { td.dataset.tip = `tied with\n${names.join("\n")}`; td.tabIndex = 0; }
    return td;
  }

  function bar(row) {
    const td = element("td", { className: "wide" }, intervalBar({ ...row, mean: row.accuracy }, data.axis));
    td.dataset.tip = `${row.service}\n${percent(row.accuracy, 1)}% (${percent(row.lower, 1)} to ${percent(row.upper, 1)})`;
    return td;
  }

  function accuracy(row) {
    const td = cell("td", `${percent(row.accuracy, 1)}%`, { className: "num" });
    td.append(element("small", { textContent: `${percent(row.lower, 1)}\u2013${percent(row.upper, 1)}` }));
    return td;
  }

  function rank(row) {
    const td = cell("td", `${row.rank}`, { className: "num" });
    if (row.rank_lower !== row.rank_upper) td.append(element("small", { textContent: `${row.rank_lower}\u2013${row.rank_upper}` }));
    return td;
  }

  const services = sortable(byId("services"), [
    { title: "service", value: (row) => row.service.toLowerCase(), show: (row) => named(row.service) },
    { title: "rank", value: (row) => row.rank, className: "num", show: rank },
    { title: "accuracy", value: (row) => row.accuracy, isDown: true, className: "num", show: accuracy },
    { title: `${percent(data.level)}% interval`, value: (row) => row.lower, isDown: true, className: "wide", show: bar },
    number("points behind", (row) => row.behind, (row) => (row.rank === 1 ? "" : `${points(row.behind)} (${points(row.behind_lower)} to ${points(row.behind_upper)})`), false),
    number("is the best", (row) => row.probability_best, (row) => `${percent(row.probability_best)}%`),
    { title: "tied with", value: (row) => row.tied_with.length, show: tied },
    ...(data.has_prices ? [number("price", (row) => row.price, (row) => price(row.price), false)] : []),
    ...(data.labels_differ ? [number("labels", (row) => row.labels, (row) => count(row.labels))] : []),
  ], board, 1);

  // Services by the values of an attribute.
  function box(row, name, value) {
    const { css, isDeep, isBright } = colour(row.accuracy, row.upper - row.lower, data.middle);
    const td = cell("td", `${percent(row.accuracy)}${row.rank === 1 && row.is_sure ? "*" : ""}`);
    td.className = [isDeep && "deep", isBright && "bright", row.rank === 1 && "best"].filter(Boolean).join(" ");
    td.style.background = css;
    td.dataset.tip = `${name}, ${value}\n${percent(row.accuracy, 1)}% (${percent(row.lower, 1)} to ${percent(row.upper, 1)})\nrank ${row.rank}${row.rank > 1 ? `, ${points(row.behind)} points behind` : row.is_sure ? ", clearly the best" : ", not clearly the best"}`;
    return td;
  }

  function drawBy() {
    if (!by.length) return;
    const { attribute, values } = by[+byId("attribute").value];
    const place = +byId("order").value, search = byId("search").value;
    const names = board.map((row) => row.service).filter((name) => matches(name, search));
    if (place >= 0) names.sort((a, b) => values[place].services[a].rank - values[place].services[b].rank);
    byId("by").tHead.replaceChildren(element("tr", {}, cell("th", `service \\ ${attribute}`, { scope: "col" }), ...values.map(({ value }) => element("th", { scope: "col", title: value }, cell("span", value)))));
    byId("by").tBodies[0].replaceChildren(...names.map((name) => element("tr", {}, named(name), ...values.map(({ value, services: found }) => box(found[name], name, value)))));
  }

  function pickAttribute() {
    const { values } = by[+byId("attribute").value];
    byId("order").replaceChildren(option("the board", -1, true), ...values.map(({ value }, k) => option(value, k)));
    drawBy();
  }

  function drawBoard() {
    const search = byId("search").value;
    services((row) => matches(row.service, search), (shown) => {
      byId("shown").textContent = `${shown} of ${board.length} services`;
    });
    drawBy();
  }

  // The best service of each arm.
  function drawArms() {
    const search = byId("search-arms").value;
    const text = (row) => [...data.attributes.map((name) => row[name]), row.best, row.choice || ""].join(" ");
    best((row) => matches(text(row), search), (shown) => {
      byId("shown-arms").textContent = `${Math.min(shown, MOST_ROWS)} of ${count(arms.length)} arms`;
    });
  }

  const arm = (row) => data.attributes.map((name) => row[name]).join(", ");
  const text = (title, name) => ({ title, value: (row) => row[name].toLowerCase(), show: (row) => cell("td", row[name]) });
  const armColumns = [
    { title: data.attributes.join(", "), value: arm, show: (row) => named(arm(row)) },
    text("best", "best"),
    number("accuracy", (row) => row.accuracy, (row) => `${percent(row.accuracy, 1)}%`),
    number("is the best", (row) => row.probability, (row) => `${percent(row.probability)}%`),
  ];
  if (data.has_prices) {
    armColumns.push(text("choice", "choice"), number("price", (row) => row.price, (row) => price(row.price), false), number("points behind", (row) => row.behind, (row) => points(row.behind), false));
  }
  armColumns.push(number("labels", (row) => row.labels, (row) => count(row.labels)), number("rows", (row) => row.rows, (row) => count(row.rows)));
  const best = arms.length ? sortable(byId("arms-table"), armColumns, arms, armColumns.length - 1) : null;

  if (by.length) {
    byId("attribute").append(...by.map(({ attribute }, k) => option(attribute, k)));
    byId("attribute").onchange = pickAttribute;
    byId("order").onchange = drawBy;
    pickAttribute();
  }
  byId("search").oninput = drawBoard;
  drawBoard();
  if (best) { byId("search-arms").oninput = drawArms; drawArms(); }
})();
