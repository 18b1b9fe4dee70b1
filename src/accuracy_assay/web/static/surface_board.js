"use strict";
// Many services side by side: a board to sort and to search, and a table of all by the values of an attribute.
const SurfaceBoard = (() => {
  const { colour, count, element, percent } = Drawing;
  const { axis, bar, chance, scroller, select, table, working } = SurfaceParts;
  // What the reader chose; it stays when labels come in.
  const kept = { search: "", sort: "rank", order: "ascending", value: "" };
  const matches = (name) => name.toLowerCase().includes(kept.search.trim().toLowerCase());

  const KEYS = {
    service: (p) => p.service.toLowerCase(), rank: (p) => p.rank, mean: (p) => -p.mean, lower: (p) => -p.lower,
    behind: (p) => p.behind, best: (p) => -p.probability_best, tied: (p) => -p.tied_with.length, price: (p) => p.price,
  };

  function sorted(rows, key) {
    const sign = kept.order === "ascending" ? 1 : -1;
    return [...rows].sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0));
  }

  function ends(number, low, high, between = "\u2013") {
    return [element("b", { textContent: number }), element("small", { textContent: ` ${low}${between}${high}` })];
  }

  const behind = (x) => (100 * x).toFixed(1).replace("-", "\u2212");

  function tied(place) {
    const names = place.tied_with;
    const span = element("span", { textContent: (names.length > 1 ? `${names.length}: ` : "") + names.join(", ") });
    if (names.length) span.dataset.tip = `tied with\n${names.join("\n")}`;
    return span;
  }

  function board(found, level, pick) {
    const { places } = found;
    const ranges = places.flatMap((p) => [p.lower, p.upper]);
    const low = Math.max(0, Math.floor(10 * Math.min(...ranges)) / 10), high = Math.min(1, Math.ceil(10 * Math.max(...ranges)) / 10);
    const name = (p) => {
      const button = element("button", { type: "button", className: "plain-button", textContent: p.service, title: p.service });
      button.dataset.key = `pick ${p.service}`;
      button.setAttribute("aria-label", `${p.service}: compare it with the best`);
      button.onclick = () => pick(p.service);
      return button;
    };
    return [
      { title: "Service", sort: "service", isHead: true, cell: name },
      { title: "Rank", sort: "rank", className: "num", cell: (p) => (p.rank_lower === p.rank_upper ? element("b", { textContent: p.rank }) : ends(p.rank, p.rank_lower, p.rank_upper)) },
      { title: "Estimate", sort: "mean", className: "num", cell: (p) => ends(percent(p.mean, 1), percent(p.lower), percent(p.upper)) },
      { title: "Accuracy", sort: "lower", className: "wide", axis: () => axis(low, high), cell: (p) => bar(p, level, { low, high }) },
      { title: "Points behind", sort: "behind", className: "num spare", cell: (p) => (p.rank > 1 ? ends(behind(p.behind), behind(p.behind_lower), behind(p.behind_upper), " to ") : "\u2013") },
      { title: "Best of all", sort: "best", className: "num", cell: (p) => chance(p.probability_best) },
      { title: "Tied with", sort: "tied", className: "tied spare", cell: tied },
      ...(places.some((p) => p.price !== null) ? [{ title: "Price", sort: "price", className: "num", cell: (p) => String(p.price ?? "\u2013") }] : []),
    ];
  }

  // The table of one attribute: a row per service, a column per value.
  function byValue(found, page, state) {
    const { about, by, value_places: every } = found;
    const values = [...new Set(every.map((p) => p.value))];
    const at = new Map(every.map((p) => [`${p.service}\n${p.value}`, p]));
    const middle = found.places.reduce((sum, p) => sum + p.mean, 0) / found.places.length;
    let names = found.places.map((p) => p.service).filter(matches);
    if (values.includes(kept.value)) names = [...names].sort((a, b) => at.get(`${a}\n${kept.value}`).rank - at.get(`${b}\n${kept.value}`).rank);
    const head = element("tr", {}, headOf(`service, by ${by}`, "", page), ...values.map((value) => headOf(value, value, page)));
    const body = names.map((name) => element("tr", {},
      element("th", { scope: "row", textContent: name, title: name }),
      ...values.map((value) => box(at.get(`${name}\n${value}`), middle))));
    const made = element("table", { className: "board-values" }, element("thead", {}, head), element("tbody", {}, ...body));
    made.prepend(element("caption", { className: "unseen", textContent: `Accuracy of every service by ${by}` }));
    const choices = about.attributes.filter((a) => a.values.length > 1).map((a) => [a.name, a.name]);
    return element("div", { className: "card board" },
      element("div", { className: "controls" },
        select("by", "By the values of", choices, by, (name) => { kept.value = ""; page.change({ own: { ...state.own, by: name } }); })),
      scroller("Table of services by value", made),
      element("p", { className: "note", textContent: `Accuracy in percent. The best of a column is framed; * says that it is the best there with a probability of ${percent(about.level)}% or more. The wider its interval, the paler a box. Select a heading to order by it.` }));
  }

  function headOf(title, value, page) {
    const th = element("th", { scope: "col", title });
    const button = element("button", { type: "button" }, element("span", { textContent: title }));
    button.dataset.key = `by value ${value}`;
    button.onclick = () => { kept.value = value; page.again(); };
    if (kept.value === value) th.setAttribute("aria-sort", "ascending");
    th.append(button);
    return th;
  }

  function box(place, middle) {
    const { css, isDeep, isBright } = colour(place.mean, place.upper - place.lower, middle);
    const td = element("td", { textContent: `${percent(place.mean)}${place.rank === 1 && place.is_sure ? "*" : ""}` });
    td.className = [isDeep && "deep", isBright && "bright", place.rank === 1 && "best"].filter(Boolean).join(" ");
    td.style.background = css;
    td.dataset.tip = `${place.service}, ${place.value}\n${percent(place.mean, 1)}% (${percent(place.lower, 1)} to ${percent(place.upper, 1)})\nrank ${place.rank}${place.rank > 1 ? `, ${(100 * place.behind).toFixed(1)} points behind` : place.is_sure ? ", clearly the best" : ", not clearly the best"}`;
    return td;
  }

  function searchBox(page) {
    const input = element("input", { type: "search", placeholder: "search services", value: kept.search });
    input.setAttribute("aria-label", "Search services");
    input.dataset.key = "search services";
    input.oninput = () => { kept.search = input.value; page.again(); };
    return input;
  }

  function settled(found) {
    if (found.places.length < 3) return "";
    if (!found.open_difference) return "The order of the first three is settled.";
    return `The order of the first three is open: services that may be among them may still differ by ${(100 * found.open_difference).toFixed(1)} points.`;
  }

  function cards(found, state, page, pick) {
    const { level } = found.about;
    const columns = board(found, level, pick);
    const shown = sorted(found.places.filter((p) => matches(p.service)), KEYS[kept.sort]);
    const onSort = (sort, order) => { Object.assign(kept, { sort, order }); page.again(); };
    const made = table("plain places", columns, shown, { sort: kept.sort, order: kept.order, onSort, caption: "Services in order" });
    const many = found.places.length > 6;
    return [
      element("div", { className: "card board" },
        ...(many ? [element("div", { className: "controls" }, searchBox(page), element("span", { className: "note", textContent: `${count(shown.length)} of ${count(found.places.length)} services` }))] : []),
        scroller("Table of services", made),
        element("p", { className: "note", textContent: `Two services are tied if neither is the better one with a probability of ${percent(level)}%. ${settled(found)}${working(found, "An update is")}` })),
      ...(found.value_places.length ? [byValue(found, page, state)] : []),
    ];
  }

  // Before the first fit: the plain share of labels that each service got right.
  function firstLook(found) {
    const columns = [
      { title: "Service", isHead: true, cell: (p) => p.service },
      { title: "Labels right", className: "num", cell: (p) => `${percent(p.share, 1)}%` },
      { title: "Labels", className: "num", cell: (p) => count(p.labels) },
    ];
    return [element("div", { className: "card board first-look" },
      element("p", { className: "facts-line" }, element("b", { textContent: "Stage 1 of 2. " }), "The plain share of the labels that each service got right. It is not an estimate: labels are not spread over the pool as rows are."),
      element("p", { className: "facts-line", role: "status" }, element("b", { textContent: "Stage 2. " }), working(found, `Estimates of all ${count(found.first_look.length)} services with their intervals are`)),
      scroller("Table of services", table("plain", columns, found.first_look, { caption: "Labels that each service got right" })))];
  }

  return { cards, firstLook };
})();
