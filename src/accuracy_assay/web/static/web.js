"use strict";
// What the pages of a server share: calls that carry the form's token, items, and live news.
const Web = (() => {
  const { element } = Drawing;
  const SMALL = 100; // pixels of an image that is drawn larger than it is
  const csrf = document.querySelector("meta[name=csrf]")?.content ?? "";

  class Refused extends Error {
    constructor(status, message) { super(message); this.status = status; }
  }

  async function call(path, body) {
    const options = { headers: { Accept: "application/json" }, credentials: "same-origin" };
    if (body !== undefined) {
      options.method = "POST";
      options.body = JSON.stringify(body);
      Object.assign(options.headers, { "Content-Type": "application/json", "X-CSRF-Token": csrf });
    }
    const response = await fetch(path, options);
    const found = await response.json().catch(() => ({}));
    if (!response.ok) throw new Refused(response.status, sentence(found.detail, response.status));
    return found;
  }

  function sentence(detail, status) {
    if (typeof detail === "string") return detail;
    if (Array.isArray(detail)) return detail.map((d) => `${d.loc.at(-1)}: ${d.msg}`).join("; ");
    return `the server answered ${status}`;
  }

  // An instance as people look at it: texts, images, recordings, rows of a table.
  function show(item) {
    const rows = item.show.filter((p) => p.kind === "table");
    const parts = item.show.filter((p) => p.kind !== "table").map((p) => part(item, p, item.show.length > 1));
    if (rows.length) {
      const list = element("dl", { className: "row" });
      rows.forEach((p) => list.append(element("div", {}, element("dt", { textContent: p.column }), element("dd", { textContent: p.text }))));
      parts.push(list);
    }
    return parts.length ? parts : [element("p", { className: "shown-text", textContent: item.id })];
  }

  function part(item, p, isNamed) {
    const title = element("figcaption", { textContent: p.column });
    const content = p.kind === "image" ? element("img", { src: p.media, alt: `${p.column} of ${item.id}` })
      : p.kind === "audio" ? element("audio", { src: p.media, controls: true, preload: "auto" })
        : element("p", { className: "shown-text", textContent: p.text });
    if (p.kind === "audio") content.setAttribute("aria-label", `${p.column} of ${item.id}`);
    if (p.kind === "image") content.onload = () => content.classList.toggle("small", content.naturalWidth < SMALL);
    if (p.media) content.onerror = () => content.replaceWith(element("p", { className: "bad", textContent: `${p.column} could not be loaded` }));
    return element("figure", { className: `shown ${p.kind}` }, ...(isNamed ? [title] : []), content);
  }

  // News of labels and fits; a server that was away is looked for again by the browser.
  function watch(onNews) {
    const stream = new EventSource("/api/live");
    stream.addEventListener("surface", (event) => onNews(JSON.parse(event.data)));
    addEventListener("pagehide", () => stream.close());
    return stream;
  }

  const button = Drawing.byId("theme");
  Drawing.followTheme(button ?? element("button"));
  if (Drawing.byId("tip")) Drawing.showTips(Drawing.byId("tip"));
  return { Refused, call, show, watch };
})();
