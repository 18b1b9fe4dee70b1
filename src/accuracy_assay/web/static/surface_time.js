"use strict";
// Accuracy over time: a curve per slice with its band, the end of the baseline, alarms and gains as marks.
const SurfaceTime = (() => {
  const { count, element, frame, percent, shape } = Drawing;
  const { remarks, scroller, table, working } = SurfaceParts;

  function draw(found, state, page) {
    const about = found.about;
    if (!found.curves.length) return remarks([working(found, "Accuracy over time is"), ...found.remarks].filter(Boolean));
    const cards = found.curves.map((curve, number) => {
      const chart = element("div", { className: "chart" });
      page.whenDrawn(() => drawCurve(chart, found, curve, number));
      return element("div", { className: "card time-curve" }, element("h3", { textContent: curve.name }), chart);
    });
    return [
      element("p", { className: `card facts-line${found.alarms.some((a) => !a.is_gain) ? " bad" : ""}`, id: "time-says", textContent: `${found.says}${now(found)} ${working(found, "An update is")}` }),
      form(found, state, page),
      ...cards,
      ...(found.alarms.length ? [alarms(found, about)] : []),
      ...remarks(found.remarks),
    ];
  }

  function now({ now: is }) {
    return is ? ` As it is now: ${percent(is.mean, 1)}% (${percent(is.lower, 1)} to ${percent(is.upper, 1)}%).` : "";
  }

  // By which column of the pool rows are ordered, and where the baseline ends.
  function form(found, state, page) {
    const made = element("form", { className: "card controls" });
    const field = (key, label, hint) => {
      const input = element("input", { type: "text", value: state.own[key] ?? "", placeholder: hint });
      input.dataset.key = `time ${key}`;
      input.name = key;
      return [element("label", {}, `${label} `, input), input];
    };
    const [timeLabel, time] = field("time", "Order rows by", found.ordered_by ?? "time of the label");
    const [baselineLabel, baseline] = field("baseline", "Baseline up to", "first third");
    const button = element("button", { type: "submit", textContent: "Watch" });
    button.dataset.key = "watch";
    made.append(timeLabel, baselineLabel, button);
    made.onsubmit = (event) => {
      event.preventDefault();
      page.change({ own: { time: time.value.trim(), baseline: baseline.value.trim() } });
    };
    return made;
  }

  function drawCurve(chart, found, curve, number) {
    const { stretches } = curve;
    if (!stretches.length) return;
    const times = found.curves[0].stretches.map((s) => s.time);
    const at = (s) => Math.max(0, times.indexOf(s.time));
    const days = new Set(times.map((t) => t.slice(0, 10)));
    const short = (t) => (days.size > 1 ? t.slice(0, 10) : t.slice(11, 16) || t);  // moments of one day by the clock
    const x = { low: -0.4, high: times.length - 0.6, title: "time", show: (v) => (Number.isInteger(v) ? short(times[v] ?? "") : "") };
    const low = Math.min(...stretches.map((s) => s.lower)), high = Math.max(...stretches.map((s) => s.upper));
    const y = { low: Math.max(0, low - 0.05), high: Math.min(1, high + 0.05), title: "accuracy", show: (v) => `${percent(v)}%` };
    const { svg, sx, sy } = frame(chart, number ? 190 : 240, x, y, { left: 44, right: 14, top: 10, bottom: 40 });
    const points = (of) => of.map(([a, b]) => `${sx(a).toFixed(1)},${sy(b).toFixed(1)}`).join(" ");
    for (const alarm of found.alarms.filter((a) => a.slice === curve.name)) {
      const colour = alarm.is_gain ? "var(--good)" : "var(--bad)";
      const ends = [alarm.since_at, alarm.time_at];
      svg.append(shape("rect", { x: sx(ends[0]), y: 10, width: Math.max(1, sx(ends[1]) - sx(ends[0])), height: sy(y.low) - 10, fill: colour, opacity: 0.12 }));
      svg.append(shape("line", { x1: sx(ends[1]), x2: sx(ends[1]), y1: 10, y2: sy(y.low), stroke: colour, "stroke-width": 2, class: "alarm-mark", "data-tip": `${alarm.is_gain ? "gain" : "alarm"} at ${alarm.time}\nlikely since ${alarm.since}` }));
    }
    for (const version of found.versions) {
      const place = sx(version.since_at);
      svg.append(shape("line", { x1: place, x2: place, y1: 10, y2: sy(y.low), stroke: "var(--ink)", opacity: 0.5, "stroke-dasharray": "6 3", class: "version-mark", "data-tip": `version ${version.name}\nsince ${version.since}` }));
      if (!number) svg.append(shape("text", { x: place + 3, y: 19, class: "version-name" }, version.name));
    }
    svg.append(shape("polygon", { points: points([...stretches.map((s) => [at(s), s.upper]), ...[...stretches].reverse().map((s) => [at(s), s.lower])]), fill: Drawing.SERIES[0], opacity: 0.18 }));
    const old = stretches.filter((s) => s.is_baseline);
    if (old.length) {
      const level = old.reduce((sum, s) => sum + s.mean * s.labels, 0) / old.reduce((sum, s) => sum + s.labels, 0);
      svg.append(shape("line", { x1: sx(x.low), x2: sx(x.high), y1: sy(level), y2: sy(level), stroke: "var(--faint)" }));
      const edge = Math.max(...old.map(at)) + 0.5;
      svg.append(shape("line", { x1: sx(edge), x2: sx(edge), y1: 10, y2: sy(y.low), stroke: "var(--faint)", "stroke-dasharray": "3 4", "data-tip": "end of the baseline" }));
    }
    svg.append(shape("polyline", { points: points(stretches.map((s) => [at(s), s.mean])), fill: "none", stroke: Drawing.SERIES[0], "stroke-width": 2.5, "stroke-linejoin": "round" }));
    for (const s of stretches) {
      svg.append(shape("circle", { cx: sx(at(s)), cy: sy(s.mean), r: 3, fill: Drawing.SERIES[0] }));
      svg.append(shape("circle", { cx: sx(at(s)), cy: sy(s.mean), r: 9, fill: "transparent", "data-tip": `from ${s.time}\n${percent(s.mean)}% (${percent(s.lower)} to ${percent(s.upper)}%), ${count(s.labels)} labels` }));
    }
    svg.setAttribute("aria-label", `Accuracy over time, ${curve.name}: ${percent(stretches[0].mean)}% at first, ${percent(stretches.at(-1).mean)}% at last.`);
  }

  function alarms(found) {
    const columns = [
      { title: "slice", isHead: true, cell: (a) => a.slice },
      { title: "", cell: (a) => (a.is_gain ? "gain" : "loss") },
      { title: "before", className: "num", cell: (a) => `${percent(a.before)}%` },
      { title: "now", className: "num", cell: (a) => `${percent(a.now)}%` },
      { title: "points", className: "num", cell: (a) => `${percent(a.lower)} to ${percent(a.upper)}` },
      { title: "likely since", cell: (a) => a.since },
      { title: "found", cell: (a) => a.time },
    ];
    return element("div", { className: "card" }, element("h3", { textContent: "Alarms and gains" }), scroller("Table of alarms", table("alarms", columns, found.alarms, { caption: "Alarms and gains" })));
  }

  return { draw };
})();
