"use strict";
// The Team page: answers by day.
(() => {
  const { byId, count, element } = Drawing;
  const MOST_DAYS = 30;

  (async () => {
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
  })();
})();
