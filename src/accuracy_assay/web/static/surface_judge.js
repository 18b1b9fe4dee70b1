"use strict";
// Where a judge may decide in place of people: a form for what is certified, then slice by slice.
const SurfaceJudge = (() => {
  const { count, element, intervalBar, percent } = Drawing;
  const { axis, points, remarks, scroller, select, table, working } = SurfaceParts;
  const KINDS = { "may decide": "good", "may not": "bad" };

  function draw(found, state, page) {
    if (!found.slices.length) return [...(found.judges.length ? [form(found, state, page)] : []), ...remarks([working(found, "Where the judge may decide is"), ...found.remarks].filter(Boolean))];
    return [
      element("p", { className: `card facts-line${found.slices[0].verdict === "may not" ? " bad" : ""}`, id: "judge-says", textContent: found.verdict }),
      form(found, state, page),
      element("div", { className: "card" }, scroller("slices of the judge", slices(found))),
      ...(found.left_out ? remarks([`${count(found.left_out)} more slices are in the file of the certificate.`]) : []),
      ...remarks(found.remarks),
    ];
  }

  // Which judge, how much it may differ, and whether its figure or its decisions are certified.
  function form(found, state, page) {
    const change = (key) => (value) => page.change({ own: { ...state.own, [key]: value } });
    const input = element("input", { type: "number", min: "0.1", max: "99", step: "any", value: String(Number((100 * (Number(state.own.tolerance) || 0.03)).toFixed(2))) });
    input.dataset.key = "judge tolerance";
    input.onchange = () => input.checkValidity() && change("tolerance")(String(Number(input.value) / 100));
    const made = element("div", { className: "card controls" });
    if (found.judges.length > 1) made.append(select("judge name", "Judge", found.judges.map((name) => [name, name]), found.judge, change("judge")));
    made.append(
      select("judge statement", "Certify that", [["its figure is right", "level"], ["its decisions are right", "decisions"]], state.own.statement ?? "level", change("statement")),
      element("label", {}, "to within, points ", input),
    );
    return made;
  }

  function slices(found) {
    const ends = found.slices.flatMap((r) => [r.low, r.high, r.mark]);
    const low = Math.max(0, Math.floor(10 * Math.min(...ends)) / 10), high = Math.min(1, Math.ceil(10 * Math.max(...ends)) / 10);
    const verdict = (r) => element("b", { className: KINDS[r.verdict] ?? "", textContent: r.because ? `${r.verdict}, because of ${r.because}` : r.verdict });
    const share = (x) => `${percent(x, 1)}`;
    const show = found.is_level ? points : share;
    const columns = [
      { title: "Slice", isHead: true, className: "arm", cell: (r) => r.place },
      { title: "Verdict", cell: verdict },
      { title: found.is_level ? "People and judge, %" : "Decisions that differ, %", className: "wide", axis: () => axis(low, high), cell: (r) => bar(r, found, low, high) },
      { title: "Judge", className: "num", cell: (r) => `${percent(r.judge)}%` },
      { title: "People", className: "num", cell: (r) => `${percent(r.people)}%` },
      { title: found.is_level ? "Differs, points" : "Differ, %", className: "num", cell: (r) => [element("b", { textContent: show(r.difference) }), element("small", { textContent: ` ${show(r.lower)} to ${show(r.upper)}` })] },
      { title: "Labels", className: "num", cell: (r) => count(r.labels) },
      { title: "Rows", className: "num spare", cell: (r) => count(r.rows) },
      { title: "More needed", className: "num", cell: (r) => (r.needed === null ? "all" : r.needed ? count(r.needed) : "") },
    ];
    return table("worst judged", columns, found.slices, { caption: "Where the judge may decide" });
  }

  function bar(row, found, low, high) {
    const made = intervalBar({ mean: row.dot, lower: row.low, upper: row.high, truth: row.mark }, { low, high, isVague: row.verdict === "not enough labels" });
    made.setAttribute("role", "img");
    const said = found.is_level ? `judge ${percent(row.judge)}%, people ${percent(row.people)}%` : `${percent(row.difference)}% of decisions differ`;
    made.setAttribute("aria-label", `${said}, ${percent(found.about.level)}% interval ${percent(row.low)} to ${percent(row.high)}%`);
    return made;
  }

  return { draw };
})();
