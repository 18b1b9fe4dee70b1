"use strict";
// The state of the page is its URL: the view and its parameters.
const SurfaceState = (() => {
  const VIEWS = {
    slices: { title: "Weak slices", has: ["below", "limit"] },
    heat: { title: "Two attributes", has: ["rows", "columns"], isFiltered: true, isMixed: true },
    marginals: { title: "One attribute", has: ["zoom"], isFiltered: true, isMixed: true },
    attributes: { title: "What matters", has: [] },
    worst: { title: "Worst arms", has: ["by", "count"], isFiltered: true },
    arms: { title: "All arms", has: ["search", "status", "sort", "order", "limit"], isFiltered: true },
    instances: { title: "Instances", has: ["which", "services", "id", "limit"], isFiltered: true },
    progress: { title: "Progress", has: ["half_width", "of"] },
    then: { title: "Then and now", has: ["then", "now"] },
    time: { title: "Over time", has: ["time", "baseline"], isFiltered: true },
    judge: { title: "Judge or people", has: ["judge", "tolerance", "statement"] },
    compare: { title: "Services side by side", tab: "Services", has: ["by", "first", "second", "search", "sort", "order", "limit"], isFiltered: true, isMixed: true },
  };

  const isNarrow = () => innerWidth <= 720;
  const FEW = "15"; // rows of a long list on a phone, where each takes several lines

  function read() {
    const given = new URLSearchParams(location.search);
    const view = given.get("view") in VIEWS ? given.get("view") : "slices";
    const state = { view, service: given.get("service") ?? "", mix: given.get("mix") ?? "", where: given.getAll("where"), weight: given.getAll("weight"), open: given.getAll("open"), within: given.getAll("within"), item: given.get("item") ?? "", own: {} };
    for (const name of VIEWS[view].has) if (given.has(name)) state.own[name] = given.get(name);
    return state;
  }

  // The query to the server: only what the view uses, so that equal views have equal URLs.
  function query(state) {
    const asked = new URLSearchParams();
    if (state.service) asked.set("service", state.service);
    const { has, isFiltered, isMixed } = VIEWS[state.view];
    if (isFiltered) state.where.forEach((text) => asked.append("where", text));
    if (isMixed && state.mix) asked.set("mix", state.mix);
    if (isMixed && state.mix === "own") state.weight.forEach((text) => asked.append("weight", text));
    for (const name of has) if (state.own[name]) asked.set(name, state.own[name]);
    if (["arms", "instances", "compare"].includes(state.view) && isNarrow() && !asked.has("limit")) asked.set("limit", FEW);
    return asked;
  }

  // The URL of the page; filters and mix carry over from view to view.
  function address(state) {
    const shown = new URLSearchParams({ view: state.view });
    if (state.service) shown.set("service", state.service);
    state.where.forEach((text) => shown.append("where", text));
    if (state.mix) shown.set("mix", state.mix);
    state.weight.forEach((text) => shown.append("weight", text));
    state.open.forEach((text) => shown.append("open", text));
    state.within.forEach((text) => shown.append("within", text));
    if (state.item) shown.set("item", state.item);
    for (const name of VIEWS[state.view].has) if (state.own[name]) shown.set(name, state.own[name]);
    return `${location.pathname}?${shown}`;
  }

  // Whoever opens another part leaves the arm of the last one.
  const next = (state, changes) => ({ ...state, ...("open" in changes ? { within: [] } : {}), ...changes });

  // Conditions are attribute:value. Names may contain colons, so the longest that fits counts.
  function valuesOf(state, name, names) {
    const owner = (text) => names.filter((n) => text.startsWith(`${n}:`)).sort((a, b) => b.length - a.length)[0];
    return state.where.filter((text) => owner(text) === name).map((text) => text.slice(name.length + 1));
  }

  function withValue(state, name, value, names) {
    const kept = state.where.filter((text) => !valuesOf({ where: [text] }, name, names).length);
    return value === null ? kept : [...kept, `${name}:${value}`];
  }

  return { VIEWS, address, isNarrow, next, query, read, valuesOf, withValue };
})();
