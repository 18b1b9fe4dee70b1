"use strict";
// The surface page: fetches the view that the URL names, draws it, and keeps it up to date.
(() => {
  const { byId, count, element, percent } = Drawing;
  const { VIEWS, address, isNarrow, next, query, read, valuesOf, withValue } = SurfaceState;
  const { select } = SurfaceParts;
  const AGAIN_MS = 1500; // pause before asking again for an answer that is being renewed
  const TYPING_MS = 300; // pause in typing before a search
  const MANY = 4; // attributes; with more, filters are added one by one
  let adding = ""; // the attribute whose filter is being chosen
  let state = read();
  let shown = { version: -1, about: null };
  let turn = 0, isAsking = false, isStale = false, afterDrawing = [];

  const page = {
    change(changes, isNewView = false) {
      state = next(state, changes);
      history[isNewView ? "pushState" : "replaceState"](null, "", address(state));
      show(isNewView);
    },
    filter(values, view = state.view) {
      const names = shown.about.attributes.map((a) => a.name);
      const where = Object.entries(values).reduce((kept, [name, value]) => withValue({ where: kept }, name, value, names), state.where);
      page.change({ where, view, open: [], item: "", own: view === state.view ? state.own : {} }, view !== state.view);
    },
    // What the URL should say from now on, where the page shows it already.
    note(changes) {
      state = next(state, changes);
      history.replaceState(null, "", address(state));
      byId("link").href = address(state);
    },
    link(changes, text) {
      const to = next(state, changes);
      const made = element("a", { href: address(to), textContent: text });
      made.onclick = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        page.change(changes, true);
      };
      return made;
    },
    again() { redraw(); },
    whenDrawn(draw) { afterDrawing.push(draw); },
  };

  // A new view moves the focus to its title, for screen readers; otherwise the focus stays.
  async function show(isNewView = false) {
    drawFrame();
    await refresh(false);
    if (isNewView && !state.open.length) byId("view-title").focus({ preventScroll: false });
  }

  async function refresh(isLive) {
    if (isLive && isAsking) { isStale = true; return; }
    const own = turn += 1;
    isAsking = true;
    byId("drawing").setAttribute("aria-busy", "true");
    const since = Date.now();
    const waiting = setInterval(() => { if (own === turn && !isLive) sayWaiting((Date.now() - since) / 1000); }, 400);
    const found = await Web.call(`/api/surface/${state.view}?${query(state)}`).catch((error) => ({ trouble: error.message }));
    clearInterval(waiting);
    if (own !== turn) return;
    isAsking = false;
    byId("drawing").setAttribute("aria-busy", "false");
    byId("trouble").textContent = found.trouble ?? "";
    byId("trouble").hidden = !found.trouble;
    if (!found.trouble) draw(found);
    fresh(isLive && !found.trouble);
    if (!isLive && !found.trouble) byId("heard").textContent = heard(found);
    if (found.is_behind) setTimeout(() => { if (own === turn) refresh(true); }, AGAIN_MS);
    if (isStale) { isStale = false; refresh(true); }
  }

  // The first surface may take as long as a fit; after that, answers are there at once.
  function sayWaiting(seconds) {
    byId("fresh").textContent = "loading\u2026";
    if (shown.about || seconds < 1) return;
    byId("drawing").replaceChildren(element("p", { className: "note", textContent: `The first surface is being fitted; ${Math.round(seconds)} s so far.` }));
  }

  // What screen readers announce after a change.
  function heard(found) {
    const shownRows = byId("shown")?.textContent ?? "";
    const average = found.average ? `average ${percent(found.average.mean, 1)}%` : "";
    return [VIEWS[state.view].title, found.asked, shownRows || average, ...found.remarks].filter(Boolean).join("; ");
  }

  let freshAt = 0;
  function fresh(isLive) {
    freshAt = Date.now();
    byId("fresh").textContent = isLive ? "updated just now" : "";
  }
  setInterval(() => {
    if (byId("fresh").textContent !== "updated just now" || Date.now() - freshAt < 15000) return;
    byId("fresh").textContent = `updated at ${new Date(freshAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
  }, 5000);

  // Everything around a view; it depends on the state alone, so new labels do not redraw it.
  function drawFrame() {
    const { title, isFiltered } = VIEWS[state.view];
    document.title = document.title.replace(/^.*?(?= \u00b7 [^\u00b7]*$)/, title);
    byId("view-title").textContent = title;
    byId("view-note").textContent = SurfaceViews.NOTES[state.view];
    if (state.service) byId("service").value = state.service;
    const views = Object.entries(VIEWS).filter(([view]) => (view !== "compare" || byId("service").options.length > 1) && (view !== "judge" || byId("views").dataset.judges));
    byId("views").replaceChildren(...views.map(([view, { title, tab: text = title }]) => {
      const made = page.link({ view, own: {}, open: [], item: "" }, text);
      made.dataset.key = `view ${view}`;
      if (view === state.view) made.setAttribute("aria-current", "page");
      return made;
    }));
    const current = byId("views").querySelector("[aria-current]");
    if (current) byId("views").scrollLeft = current.offsetLeft - byId("views").offsetLeft - 12;
    const asked = query(state);
    byId("link").href = address(state);
    for (const format of ["csv", "png", "html"]) {
      asked.set("format", format);
      byId(format).href = `/api/surface/${state.view}?${asked}`;
      byId(format).setAttribute("aria-label", format === "html" ? `Save as a page: ${title}` : `Download ${title} as ${format.toUpperCase()}`);
    }
    if (shown.about) drawQuestion();
    byId("question").hidden = !isFiltered;
  }

  // Filters, mix and search; a redraw keeps the focus and what was typed.
  function drawQuestion() {
    const { isFiltered, isMixed, has } = VIEWS[state.view];
    const { attributes } = shown.about;
    const names = attributes.map((a) => a.name);
    const parts = [];
    if (has.includes("search")) parts.push(searchBox());
    if (isFiltered) {
      const isMany = attributes.length > (isNarrow() ? 1 : MANY);
      const isSet = (a) => valuesOf(state, a.name, names).length > 0;
      attributes.filter((a) => !isMany || isSet(a) || a.name === adding).forEach((a) => {
        const values = valuesOf(state, a.name, names);
        const options = [[`any ${a.name}`, ""], ...a.values.map((v) => [`${a.name} ${v}`, `=${v}`])];
        if (values.length > 1) options.push([`${a.name} ${values.join(" or ")}`, "several"]);
        const value = values.length > 1 ? "several" : values.length ? `=${values[0]}` : "";
        parts.push(select(`where ${a.name}`, a.name, options, value, (v) => {
          if (a.name === adding) adding = "";
          if (v !== "several") page.change({ where: withValue(state, a.name, v ? v.slice(1) : null, names) });
        }, false));
      });
      const free = attributes.filter((a) => !isSet(a) && a.name !== adding);
      if (isMany && free.length) parts.push(select("add filter", "Add filter", [["Add filter\u2026", ""], ...free.map((a) => [a.name, a.name])], "", (name) => {
        adding = name;
        drawQuestion();
        [...byId("question").querySelectorAll("select")].find((node) => node.dataset.key === `where ${name}`)?.focus();
      }, false));
    }
    if (has.includes("status")) parts.push(select("status", "status", [["in the pool", ""], ...["estimated", "rests mostly on arms like it", "not in pool"].map((s) => [s, s]), ["any status", "any"]], state.own.status ?? "", (v) => page.change({ own: { ...state.own, status: v, limit: "" } }), false));
    if (isMixed) parts.push(select("mix", "Averaged over", [["the pool as it is", ""], ["each arm equally", "equal"], ["a mix of my own", "own"]], state.mix === "pool" ? "" : state.mix, mixed));
    if (isFiltered && state.where.length) {
      const clear = element("button", { type: "button", textContent: "Clear filters" });
      clear.dataset.key = "clear";
      clear.onclick = () => page.change({ where: [] });
      parts.push(clear);
    }
    keepingFocus(byId("question"), () => byId("question").replaceChildren(...parts));
    drawOwnMix(isMixed);
  }

  function searchBox() {
    const box = element("input", { type: "search", placeholder: "Search values", value: state.own.search ?? "" });
    box.setAttribute("aria-label", "Search arms");
    box.dataset.key = "search";
    let timer = 0;
    box.oninput = () => {
      clearTimeout(timer);
      timer = setTimeout(() => page.change({ own: { ...state.own, search: box.value.trim(), limit: "" } }), TYPING_MS);
    };
    return box;
  }

  function mixed(mix) {
    const first = shown.about.attributes[0];
    const weight = mix === "own" && !state.weight.length ? first.values.map((v) => `${first.name}:${v}:1`) : state.weight;
    page.change({ mix, weight });
  }

  // Weights for the values of some attributes; only their proportions count.
  function drawOwnMix(isMixed) {
    const holder = byId("own");
    holder.hidden = !(isMixed && state.mix === "own");
    if (holder.hidden) { delete holder.dataset.shape; return; }
    const { attributes } = shown.about;
    const names = attributes.map((a) => a.name);
    const weightOf = (a, v) => state.weight.find((text) => text.startsWith(`${a.name}:${v}:`) && !/:/.test(text.slice(a.name.length + v.length + 2)))?.slice(a.name.length + v.length + 2);
    const used = attributes.filter((a) => state.weight.some((text) => valuesOf({ where: [text] }, a.name, names).length));
    const shape = used.map((a) => a.name).join("\n");
    if (holder.dataset.shape === shape) return; // keep the focus and what was typed
    holder.dataset.shape = shape;
    const sets = used.map((a) => {
      const fields = a.values.map((v) => {
        const input = element("input", { type: "number", min: "0", step: "any", value: weightOf(a, v) ?? "0" });
        input.dataset.key = `weight ${a.name} ${v}`;
        input.dataset.text = `${a.name}:${v}:`;
        input.onchange = () => page.change({ weight: gather(holder) });
        return element("label", {}, `${v} `, input);
      });
      const drop = element("button", { type: "button", textContent: "Leave out" });
      drop.setAttribute("aria-label", `Leave ${a.name} out of the mix`);
      drop.onclick = () => {
        const weight = state.weight.filter((text) => !valuesOf({ where: [text] }, a.name, names).length);
        page.change({ weight, ...(weight.length ? {} : { mix: "" }) });
      };
      return element("fieldset", { className: "card" }, element("legend", { textContent: `Weights of ${a.name}` }), ...fields, drop);
    });
    const free = attributes.filter((a) => !used.includes(a));
    const add = select("add weights", "Also weight by", [["choose", ""], ...free.map((a) => [a.name, a.name])], "", (name) => {
      const a = attributes.find((x) => x.name === name);
      if (a) page.change({ weight: [...state.weight, ...a.values.map((v) => `${a.name}:${v}:1`)] });
    });
    const note = element("p", { className: "note", textContent: "Any numbers will do: only their proportions count. Other attributes keep the pool\u2019s composition." });
    keepingFocus(holder, () => holder.replaceChildren(...sets, ...(free.length ? [add] : []), note));
  }

  const gather = (holder) => [...holder.querySelectorAll("input[data-text]")].map((input) => `${input.dataset.text}${Math.max(0, +input.value || 0)}`);

  function draw(found) {
    const isFirst = !shown.about;
    shown = { version: found.about.version, about: found.about };
    if (!state.service) byId("service").value = found.about.service;
    drawTiles(found.about);
    if (isFirst) drawFrame();
    lastFound = found;
    redraw();
  }

  // What the reader sorts or searches on the page alone asks the server nothing.
  let lastFound = null;
  function redraw() {
    afterDrawing = [];
    const made = SurfaceViews.draw[state.view](lastFound, state, page);
    keepingFocus(byId("drawing"), () => byId("drawing").replaceChildren(...made));
    drawAgain = [...afterDrawing];
    drawAgain.forEach((again) => again());
  }

  // Charts follow the width of the window.
  let drawAgain = [], width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; drawAgain.forEach((again) => again()); } });

  function keepingFocus(holder, redraw) {
    const active = holder.contains(document.activeElement) ? document.activeElement : null;
    const key = active?.dataset.key;
    const caret = active instanceof HTMLInputElement && active.type === "search" ? [active.value, active.selectionStart, active.selectionEnd] : null;
    const scrolled = new Map([...holder.querySelectorAll(".scroll")].map((s) => [s.dataset.key, [s.scrollLeft, s.scrollTop]]));
    redraw();
    holder.querySelectorAll(".scroll").forEach((s) => { [s.scrollLeft, s.scrollTop] = scrolled.get(s.dataset.key) ?? [0, 0]; });
    if (!key) return;
    const again = [...holder.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key);
    again?.focus({ preventScroll: true });
    if (caret && again) { again.value = caret[0]; again.setSelectionRange(caret[1], caret[2]); }
  }

  function drawTiles(about) {
    const { overall } = about;
    byId("verdict").hidden = !about.verdict;
    drawNext(about);
    if (byId("verdict").textContent !== about.verdict) byId("verdict").textContent = about.verdict;
    byId("remarks").textContent = about.remarks.join(" ");
    byId("remarks").hidden = !about.remarks.length;
    const tiles = [
      tile("Overall accuracy", overall ? [percent(overall.mean, 1), element("small", { textContent: "%" })] : ["\u2013"], overall ? `${about.about}; ${percent(about.level)}% interval ${percent(overall.lower, 1)}% to ${percent(overall.upper, 1)}%${about.other ? `; ${about.other_about} ${percent(about.other.mean, 1)}%, ${percent(about.other.lower, 1)}% to ${percent(about.other.upper, 1)}%` : ""}` : "no surface yet"),
      tile("Labels", [count(about.told)], rest(about)),
      tile("Arms in the pool", [overall ? count(about.arms) : "\u2013"], overall ? `${count(about.estimated)} estimated, ${count(about.vague)} rest mostly on arms like them` : ""),
      tile("Clearly weak arms", [overall ? count(about.weak) : "\u2013"], overall ? `whole interval below the overall accuracy; ${count(about.strong)} clearly above` : "", about.weak ? "bad" : ""),
    ];
    byId("tiles").replaceChildren(...tiles);
  }

  // What to do now, as a link and as a command.
  function drawNext(about) {
    const isSpent = about.spent + 1 > about.budget;
    const command = isSpent ? `assay edit STORE --set assay.budget=${2 * about.budget}` : "assay label STORE";
    const mayLabel = document.querySelector(".bar nav a[href='/']") !== null;
    const link = element("a", { href: "/", textContent: "Label more" });
    const said = isSpent ? ["Next: the budget is spent. Raise it in a terminal: "] : mayLabel ? ["Next: ", link, ", or in a terminal: "] : ["Next, in a terminal: "];
    byId("next").replaceChildren(...said, element("code", { textContent: command }));
    byId("next").hidden = false;
  }

  // A fit lags behind the labels.
  function rest(about) {
    const seed = about.seed_labels ? `plus a seed set of ${count(about.seed_labels)}; ` : "";
    if (about.is_fitting) return `${seed}the latest are being fitted`;
    return `${seed}${Web.spending(about.spent, about.budget)}`;
  }

  function tile(title, value, note, className = "") {
    return element("div", {}, element("dt", { textContent: title }), element("dd", { className }, ...value), element("dd", { className: "tile-note", textContent: note }));
  }

  byId("service").onchange = () => page.change({ service: byId("service").value });
  byId("link").onclick = async (event) => {
    event.preventDefault();
    const text = new URL(byId("link").href, location).href;
    try {
      await navigator.clipboard.writeText(text);
      byId("said").textContent = "link copied";
    } catch { // the browser does not allow it; the address bar has the link
      byId("said").textContent = "copy the address of this page";
    }
    setTimeout(() => { byId("said").textContent = ""; }, 4000);
  };
  addEventListener("popstate", () => { state = read(); show(true); });
  Web.watch((news) => { if (shown.version >= 0 && news.version > shown.version) refresh(true); });
  show();
})();
