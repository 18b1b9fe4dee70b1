"use strict";
// What all pages share: API calls with the CSRF token, items, and live updates.
const Web = (() => {
  const { element } = Drawing;
  const SMALL = 100; // pixels; narrower images are enlarged
  const LONG = 500; // characters; longer texts may scroll, so they must take the focus
  const OFTEN_MS = 500; // least time between two updates
  const AGAIN_MS = 15000; // pause before a refused stream is opened again
  const CSRF = "meta[name=csrf]";
  let csrf = document.querySelector(CSRF)?.content ?? "";

  class Refused extends Error {
    constructor(status, message) { super(message); this.status = status; }
  }

  async function call(path, body, isAgain = false) {
    const options = { headers: { Accept: "application/json" }, credentials: "same-origin" };
    if (body !== undefined) {
      options.method = "POST";
      options.body = JSON.stringify(body);
      Object.assign(options.headers, { "Content-Type": "application/json", "X-CSRF-Token": csrf });
    }
    const used = csrf;
    const response = await fetch(path, options);
    if (response.status === 403 && body !== undefined && !isAgain && await renew(used)) return call(path, body, true);
    const found = await response.json().catch((error) => {
      if (response.ok) throw error; // the server was cut off before it had said all
      return {};
    });
    if (!response.ok) throw new Refused(response.status, sentence(found.detail, response.status));
    return found;
  }

  // The CSRF token changes with the session; a page goes on with the same person's new one.
  async function renew(used) {
    if (csrf !== used) return true; // another call did it meanwhile
    const text = await (await fetch(location.pathname, { credentials: "same-origin" })).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.querySelector(CSRF)?.content;
    const isSame = page.getElementById("who")?.textContent === Drawing.byId("who")?.textContent;
    if (!fresh || fresh === used || !isSame) return false;
    csrf = fresh;
    return true;
  }

  function sentence(detail, status) {
    if (typeof detail === "string") return detail;
    if (Array.isArray(detail)) return detail.map((d) => `${d.loc.at(-1)}: ${d.msg}`).join("; ");
    return `the server answered ${status}`;
  }

  // An instance as people see it: texts, images, recordings, rows of a table.
  function show(item) {
    const rows = item.show.filter((p) => p.kind === "table");
    const parts = item.show.filter((p) => p.kind !== "table").map((p) => part(item, p, item.show.length > 1));
    if (rows.length) {
      const list = element("dl", { className: "row" });
      rows.forEach((p) => list.append(element("div", {}, element("dt", { textContent: p.column }), element("dd", { textContent: p.text, dir: "auto" }))));
      parts.push(list);
    }
    return parts.length ? parts : [element("p", { className: "shown-text", textContent: item.id })];
  }

  // The budget counts what was asked for: a label that someone brought along is free.
  const spending = (spent, budget) => (spent ? `${Drawing.count(spent)} of the budget of ${Drawing.count(budget)} used or held` : `none of the budget of ${Drawing.count(budget)} used yet`);

  function part(item, p, isNamed) {
    const title = element("figcaption", { textContent: p.column });
    const content = p.kind === "image" ? element("img", { src: p.media, alt: `${p.column} of ${item.id}` })
      : p.kind === "audio" ? element("audio", { src: p.media, controls: true, preload: "auto" })
        : element("p", { className: "shown-text", textContent: p.text, dir: "auto", tabIndex: p.text.length > LONG ? 0 : -1 });
    if (p.kind === "audio") content.setAttribute("aria-label", `${p.column} of ${item.id}`);
    if (p.kind === "image") content.onload = () => content.classList.toggle("small", content.naturalWidth < SMALL);
    if (p.media) content.onerror = () => content.replaceWith(element("p", { className: "bad", textContent: `${p.column} could not be loaded` }));
    return element("figure", { className: `shown ${p.kind}` }, ...(isNamed ? [title] : []), content);
  }

  // News of labels and fits; the browser reconnects by itself. A hidden page closes its stream,
  // since browsers open only a few per server.
  function watch(onNews) {
    let stream = null, timer = 0, latest = null, last = -Infinity;
    const tell = () => { timer = 0; last = performance.now(); onNews(latest); };
    const hear = (event) => {
      latest = JSON.parse(event.data);
      if (!timer) timer = setTimeout(tell, Math.max(0, last + OFTEN_MS - performance.now()));
    };
    const close = () => { stream?.close(); stream = null; };
    const open = () => {
      if (stream || document.hidden) return;
      stream = new EventSource("/api/live");
      stream.addEventListener("surface", hear);
      stream.onerror = () => { if (stream?.readyState === EventSource.CLOSED) { close(); setTimeout(open, AGAIN_MS); } };
    };
    document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
    addEventListener("pagehide", close);
    addEventListener("pageshow", open);
    open();
  }

  // A second click would cancel the answer to the first, and the link would be used up.
  const join = document.querySelector("form.join");
  join?.addEventListener("submit", () => { join.querySelector("button").disabled = true; });
  const button = Drawing.byId("theme");
  Drawing.followTheme(button ?? element("button"));
  if (Drawing.byId("tip")) Drawing.showTips(Drawing.byId("tip"));
  return { Refused, call, show, spending, watch };
})();
