"use strict";
// The Team page: answers by day, and the links that were made in this browser, until they expire.
(() => {
  const { byId, count, element } = Drawing;
  const DAY_MS = 86400000;
  const KEPT_MS = 7 * DAY_MS; // a link lives that long
  const MOST_DAYS = 30;
  const KEY = `assay links ${location.host} ${document.querySelector(".bar-name")?.textContent}`;

  async function drawDays() {
    const { days } = await Web.call("/api/team/days").catch(() => ({ days: {} }));
    const shown = Object.entries(days).slice(-MOST_DAYS);
    byId("days").hidden = !shown.length;
    const sum = (by) => Object.values(by).reduce((a, b) => a + b, 0);
    const most = Math.max(...shown.map(([, by]) => sum(by)));
    byId("days-rows").replaceChildren(...shown.map(([day, by]) => {
      const meter = element("span", { className: "meter plain-meter" }, element("i"));
      meter.firstChild.style.width = `${(100 * sum(by)) / most}%`;
      const who = Object.entries(by).map(([name, n]) => `${name} ${count(n)}`).join(", ");
      return element("tr", {}, element("th", { scope: "row", textContent: day }), element("td", { className: "wide" }, meter), element("td", { className: "num", textContent: count(sum(by)) }), element("td", { className: "who", textContent: who }));
    }));
  }

  // The server keeps only digests, so a link can be shown again only where it was made.
  function kept() {
    let found = [];
    try { found = JSON.parse(localStorage.getItem(KEY) ?? "[]"); } catch { /* private windows keep nothing */ }
    return found.filter((one) => Date.now() - one.at < KEPT_MS);
  }

  function keep(links) {
    try { localStorage.setItem(KEY, JSON.stringify(links)); } catch { /* as above */ }
    drawLinks();
  }

  function drawLinks() {
    const links = kept();
    byId("links").hidden = !links.length;
    byId("links-list").replaceChildren(...links.map((one) => {
      const forget = element("button", { type: "button", textContent: "Forget" });
      forget.setAttribute("aria-label", `Forget the link of ${one.name}`);
      forget.onclick = () => keep(kept().filter((other) => other.link !== one.link));
      return element("li", {}, element("b", { textContent: one.name }), " ", element("output", { className: "link-text", textContent: one.link }), " ", forget);
    }));
  }

  let name = "";
  byId("invite").addEventListener("submit", () => { name = byId("invite-name").value; }, true);
  new MutationObserver(() => {
    const link = byId("invited-link").textContent;
    if (link.includes("/join?") && !kept().some((one) => one.link === link)) keep([...kept(), { name, link, at: Date.now() }]);
  }).observe(byId("invited-link"), { childList: true, characterData: true, subtree: true });

  drawDays();
  drawLinks();
})();
