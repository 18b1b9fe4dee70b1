"use strict";
// The examples of a part of the surface, one at a time, in place: what was shown, what the service
// said, what people said. The URL names the part and the example, so it can be shared.
const SurfaceExamples = (() => {
  const { count, element, percent } = Drawing;
  const { chance } = SurfaceParts;
  const MOST = 200; // examples that one can step through; the table of instances has the others
  const FEW = 8; // arms of a part to choose from
  let known = { key: "", found: null };
  let arms = { key: "", found: null };

  const wordsOf = (about, where) => where.map((text) => {
    const name = about.attributes.map((a) => a.name).filter((n) => text.startsWith(`${n}:`)).sort((a, b) => b.length - a.length)[0];
    return name === undefined ? text : `${name} = ${text.slice(name.length + 1)}`;
  }).join(" and ");

  const isOpen = (state, where) => state.open.length > 0 && [...state.open].sort().join("\n") === [...where].sort().join("\n");

  // A button that opens the examples of a part in place, or closes them.
  function opener(state, page, where, text) {
    const is = isOpen(state, where);
    const made = element("button", { type: "button", className: "opener", textContent: text });
    made.setAttribute("aria-expanded", String(is));
    made.dataset.key = `open ${where.join("\n")}`;
    made.onclick = () => toggle(state, page, where);
    return made;
  }

  function toggle(state, page, where) {
    const is = isOpen(state, where);
    page.change({ open: is ? [] : where, item: "", wantsFocus: !is }, true);
  }

  // The panel; it fills itself once the examples have come.
  function panel(about, state, page) {
    const part = [...new Set([...state.open, ...state.where])];
    const where = [...new Set([...part, ...state.within])];
    const holder = element("div", { className: "examples", tabIndex: 0 });
    holder.dataset.key = "examples";
    holder.setAttribute("role", "group");
    holder.setAttribute("aria-roledescription", "examples");
    holder.setAttribute("aria-label", `Examples of ${wordsOf(about, state.open)}; arrow keys lead to the next and the previous`);
    const asked = new URLSearchParams({ limit: MOST });
    if (state.service) asked.set("service", state.service);
    where.forEach((text) => asked.append("where", text));
    const key = asked.toString();
    if (known.key === key) fill(holder, known.found, where, state, page);
    else holder.append(element("p", { className: "quiet", textContent: "loading\u2026" }));
    const chips = element("div", { className: "chips", role: "group", ariaLabel: "Arms with the most errors" });
    offerArms(chips, part, about, state, page);
    if (known.key !== key || known.found.about.version !== about.version) {
      Web.call(`/api/surface/instances?${key}`).then((found) => {
        known = { key, found };
        fill(holder, found, where, state, page);
      }).catch((error) => holder.replaceChildren(element("p", { className: "bad", textContent: error.message })));
    }
    const outer = element("div", { className: "opened-part" }, chips, holder);
    if (state.wantsFocus) { state.wantsFocus = false; page.whenDrawn(() => { holder.focus({ preventScroll: true }); holder.scrollIntoView({ block: "nearest" }); }); }
    return outer;
  }

  // The arms of a part, those with the most errors first: choosing one keeps to its examples, and
  // marks its box in the heat map.
  function offerArms(chips, part, about, state, page) {
    const asked = new URLSearchParams({ limit: FEW, sort: "errors", order: "descending" });
    if (state.service) asked.set("service", state.service);
    part.forEach((text) => asked.append("where", text));
    const key = asked.toString();
    const isMany = about.attributes.length > 4;
    const title = () => element("p", { className: "note", textContent: `Its arms with the most errors${isMany ? ", by what differs from the typical" : ""}; choose one to see its examples alone:` });
    const draw = (found) => chips.replaceChildren(...(found.found > 1 ? [title(), ...found.arms.map((arm) => chip(arm, part, found.about, state, page))] : []));
    if (arms.key === key) draw(arms.found);
    if (arms.key === key && arms.found.about.version === about.version) return;
    Web.call(`/api/surface/arms?${key}`).then((found) => {
      arms = { key, found };
      draw(found);
    }).catch(() => chips.replaceChildren()); // the panel below says what is wrong
  }

  function chip(arm, part, about, state, page) {
    const own = about.attributes.map((a, i) => `${a.name}:${arm.values[i]}`);
    const told = about.attributes.map((a, i) => [a, i]).filter(([, i]) => !part.includes(own[i]) && (about.attributes.length <= 4 || arm.values[i] !== about.typical[i]));
    const is = state.within.length > 0 && state.within.every((text) => own.includes(text));
    const words = told.map(([a, i]) => `${a.name} ${arm.values[i]}`).join(", ") || "the typical arm";
    const made = element("button", { type: "button", className: "chip" }, `${words} `, element("b", { textContent: `${percent(arm.mean)}%` }));
    made.setAttribute("aria-pressed", String(is));
    made.dataset.key = `chip ${arm.arm}`;
    made.dataset.tip = `${about.attributes.map((a, i) => `${a.name} ${arm.values[i]}`).join(", ")}\n${Drawing.describe(arm)}`;
    made.onclick = () => { page.note({ within: is ? [] : own, item: "" }); page.again(); };
    return made;
  }

  function fill(holder, found, where, state, page) {
    const listed = found.instances;
    let at = Math.max(0, listed.findIndex((i) => i.id === state.item));
    const step = (by) => {
      const next = at + by;
      if (next < 0 || next >= listed.length) return;
      at = next;
      page.note({ item: listed[at].id });
      draw();
    };
    const button = (text, by, key) => {
      const made = element("button", { type: "button" }, text);
      made.setAttribute("aria-keyshortcuts", key);
      made.onclick = () => step(by);
      return made;
    };
    const previous = button("\u2190 Previous", -1, "ArrowLeft"), next = button("Next \u2192", 1, "ArrowRight");
    const place = element("span", { className: "quiet", role: "status" });
    const close = element("button", { type: "button", textContent: "Close" });
    close.onclick = () => page.change({ open: [], item: "" }, true);
    const body = element("div", { className: "example" });
    const draw = () => {
      previous.disabled = at === 0;
      next.disabled = at >= listed.length - 1;
      place.textContent = `${count(at + 1)} of ${count(found.labelled)}`;
      body.replaceChildren(...example(found, listed[at], state, page));
    };
    holder.onkeydown = (event) => {
      if (event.target.closest("audio, video, input, select")) return;
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") { event.preventDefault(); close.click(); }
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      step(by);
    };
    const links = [
      page.link({ view: "arms", where, open: [], own: {} }, "Its arms"),
      page.link({ view: "instances", where, open: [], own: {} }, "All its instances"),
      ...heatLink(found.about, state, page),
    ];
    const head = element("div", { className: "controls head" },
      ...(listed.length ? [element("span", { className: "steps" }, previous, place, next)] : []),
      element("span", { className: "links" }, ...links), close);
    holder.replaceChildren(head, rests(found), ...(listed.length ? [body] : found.remarks.map((text) => element("p", { className: "note", textContent: text }))));
    if (listed.length) draw();
  }

  function heatLink(about, state, page) {
    const names = about.attributes.map((a) => a.name);
    const used = names.filter((name) => SurfaceState.valuesOf({ where: state.open }, name, names).length);
    if (state.view === "heat" || names.length < 2 || !used.length) return [];
    const own = used.length > 2 ? {} : { rows: used[0], ...(used[1] ? { columns: used[1] } : {}) };
    return [page.link({ view: "heat", own, open: state.open, within: state.within }, "In the heat map")];
  }

  // What an interval rests on: its own labels, and what is known of the rows without a label.
  function rests({ about, average }) {
    if (!average) return element("p", { className: "note" });
    const others = average.support - average.n;
    const free = about.leans.length ? about.leans.join(" and ") : "similar arms";
    const rest = others >= 1 ? `, and ${about.leans.length ? "" : "from "}${free} on the other ${count(Math.round(others))} rows` : ", all its rows";
    return element("p", { className: "note rests", textContent: `${percent(average.mean)}%, between ${percent(average.lower)} and ${percent(average.upper)}%: from ${count(average.n)} ${average.n === 1 ? "label" : "labels"}${rest}.` });
  }

  function example(found, instance, state, page) {
    const show = Object.entries(found.shown).map(([column, kind]) => {
      const media = kind === "image" || kind === "audio" ? `/media/${encodeURIComponent(column)}?id=${encodeURIComponent(instance.id)}` : undefined;
      return { column, kind, text: instance.shown[column], media };
    }).filter((part) => part.media || part.text);
    const said = instance.answers[found.about.service];
    const isRight = said && said.score >= 0.5;
    const facts = element("dl", { className: "facts-of" });
    const fact = (name, ...content) => facts.append(element("dt", { textContent: name }), element("dd", {}, ...content));
    if (said) fact(`${found.about.service} said`, element("b", { textContent: said.answer || "nothing", className: isRight ? "" : "bad", dir: "auto" }), ` ${said.score >= 1 ? "right" : said.score <= 0 ? "wrong" : `${percent(said.score)}% right`}`);
    fact("It is", element("b", { textContent: instance.label, dir: "auto" }));
    fact("Known from", votes(instance));
    if (instance.chance < 0.995) fact("In this part", `with probability ${chance(instance.chance)}`);
    fact("Id", page.link({ view: "instances", where: [], open: [], item: "", own: { id: instance.id, which: "all", services: "all" } }, instance.id));
    return [element("div", { className: "shown-of" }, ...Web.show({ id: instance.id, show })), facts];
  }

  function votes(instance) {
    const found = Object.entries(instance.votes);
    if (!found.length) return instance.label === null ? "no label yet" : "the seed set";
    if (found.length === 1) return found[0][1] === 1 ? "1 person" : `${count(found[0][1])} people, who agree`;
    return `${found.map(([label, n]) => `${label} by ${n}`).join(", ")}: disputed`;
  }

  return { isOpen, opener, panel, toggle, votes, wordsOf };
})();
