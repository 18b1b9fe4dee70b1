"use strict";
// Members, disputes and invitations.
(() => {
  const { byId, element, option, percent, count } = Drawing;
  const FEW = 8; // with more choices, only the answers given are buttons
  const choices = JSON.parse(byId("choices-data").textContent);
  const say = (text) => { byId("trouble").hidden = !text; byId("trouble").textContent = text; };

  async function act(path, body) {
    try { const found = await Web.call(path, body); say(""); return found; } catch (error) { say(error.message); return null; }
  }

  // Disputes are not redrawn while someone is settling one.
  const isBusy = () => Boolean(document.activeElement?.closest(".settle"));

  async function draw(isSettled = false) {
    const team = await act("/api/team");
    const standing = await act("/api/status");
    if (!team || !standing) return;
    byId("tiles").replaceChildren(
      tile("Labels", count(standing.labels), Web.spending(standing.spent, standing.budget)),
      tile("Annotators", count(team.members.filter((m) => m.answers).length), `${count(team.members.length)} invited or active`),
      tile("Agreement", team.alpha === null ? "–" : number(team.alpha), agreement(team)),
      tile("In dispute", count(team.n_disputes), team.n_disputes ? "settle them below" : "nothing to settle"),
    );
    byId("trust").textContent = team.trust ? `${team.trust[0].toUpperCase()}${team.trust.slice(1)}.` : "";
    byId("confusions").textContent = team.confusions.length ? `Most frequent mistakes: ${team.confusions.slice(0, 5).map((c) => `“${c.answer}” for “${c.truth}”, ${count(c.count)}`).join("; ")}.` : "";
    byId("members").replaceChildren(...team.members.map((m) => member(m, standing.annotator)));
    if (isSettled || !isBusy()) byId("disputes").replaceChildren(...team.disputes.map(dispute));
    if (isSettled) byId("disputes").querySelector("button")?.focus();
    drawLinks(team.links);
    byId("disputes-note").textContent = team.n_disputes
      ? "Instances that annotators answered differently, and what each counts as until it is settled."
      : "None: wherever several annotators answered an instance, they agree or the dispute is settled.";
  }

  function agreement(team) {
    if (!team.shared) return "no instance has two answers yet";
    if (team.alpha === null) return `all ${count(team.shared)} shared instances got the same answer`;
    const ends = team.alpha_interval ? ` (90% interval ${team.alpha_interval.map(number).join(" to ")})` : "";
    return `Krippendorff’s alpha over ${count(team.shared)} shared instances${ends}: 1 is full agreement, 0 is chance`;
  }

  function number(x) { return x.toFixed(2).replace("-", "−"); }

  function reliability(m) {
    if (m.is_expert) return "expert: the truth";
    if (!m.reliability) return "–";
    const [mean, lower, upper] = m.reliability.map((x) => Math.round(100 * x));
    return m.answers_at_random ? "answers at random, counts for nothing" : `${mean}% (${lower}–${upper})`;
  }

  function drift(m) {
    if (!m.drift?.is_clear) return "";
    return `, ${m.drift.late < m.drift.early ? "falling" : "rising"} from ${Math.round(100 * m.drift.early)}% to ${Math.round(100 * m.drift.late)}%`;
  }

  function tile(title, value, note) {
    return element("div", {}, element("dt", { textContent: title }), element("dd", { textContent: value }), element("dd", { className: "tile-note", textContent: note }));
  }

  function member(m, self) {
    const cell = (text, name, kind = "num") => { const td = element("td", { className: kind, textContent: text }); td.dataset.label = name; return td; };
    const revoke = element("button", { type: "button", textContent: "Revoke" });
    revoke.setAttribute("aria-label", `Revoke ${m.name}`);
    revoke.onclick = async () => {
      if (confirm(`${m.name} will lose access. Their answers stay.`) && await act("/api/team/revoke", { annotator: m.name })) draw();
    };
    return element("tr", {},
      element("th", { scope: "row", textContent: m.name }),
      element("td", { textContent: m.role ?? "not invited" }),
      cell(count(m.answers), "Answers"),
      cell(m.seconds === null ? "–" : m.seconds.toFixed(1), "Seconds each"),
      cell(m.agrees === null ? "–" : `${percent(m.agrees)}%`, "Agrees with others"),
      cell(reliability(m) + drift(m), "Reliability", "num words"),
      cell(m.checked ? `${count(m.right)} of ${count(m.checked)}` : "–", "Checks right"),
      cell(count(m.held), "Holds"),
      cell(count(m.skipped), "Skipped"),
      element("td", { className: "num" }, ...(m.role && m.name !== self ? [revoke] : [])),
    );
  }

  // Links by name that were shown here since the page was opened.
  const shownLinks = new Map();

  function drawLinks(waiting) {
    byId("links").hidden = !waiting.length;
    byId("links-list").replaceChildren(...waiting.map(({ annotator, role, until }) => {
      const link = shownLinks.get(annotator);
      const show = element("button", { type: "button", textContent: "Show again" });
      show.setAttribute("aria-label", `Show the link of ${annotator} again`);
      show.onclick = async () => { if (await invite({ annotator, role })) draw(); };
      const end = new Date(1000 * until).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
      return element("li", {}, element("b", { textContent: annotator }), element("span", { className: "quiet", textContent: ` ${role}, until ${end} ` }),
        ...(link ? [element("output", { className: "link-text", textContent: link }), " ", copier(() => link)] : [show]));
    }));
  }

  async function invite(wanted) {
    const made = await act("/api/team/invite", wanted);
    if (made?.link) shownLinks.set(made.annotator, made.link);
    return made;
  }

  function copier(text) {
    const button = element("button", { type: "button", textContent: "Copy" });
    button.onclick = async () => {
      if (!navigator.clipboard) { getSelection().selectAllChildren(button.parentElement.querySelector("output")); return; } // plain http from another machine has no clipboard
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    };
    return button;
  }

  function dispute({ item, answers, taken, why }) {
    const said = Object.entries(answers).map(([who, label]) => element("li", {}, `${who}: `, element("b", { textContent: label })));
    const given = [...new Set(Object.values(answers))];
    const isFew = choices.length <= FEW;
    const settle = async (label) => { if (await act("/api/team/settle", { id: item.id, label })) draw(true); };
    const buttons = (isFew && choices.length ? choices : given).map((label) => {
      const box = element("button", { type: "button", textContent: label, dir: "auto", onclick: () => settle(label) });
      box.setAttribute("aria-label", `Settle ${item.id} as ${label}`);
      return box;
    });
    if (!isFew) {
      const rest = element("select", { ariaLabel: `Another answer for ${item.id}` }, ...choices.filter((c) => !given.includes(c)).map((c) => option(c, c)));
      buttons.push(rest, element("button", { type: "button", textContent: "Settle", ariaLabel: `Settle ${item.id} as chosen`, onclick: () => settle(rest.value) }));
    }
    return element("article", { className: "card dispute" },
      element("h3", { textContent: item.id }), ...Web.show(item), element("ul", {}, ...said),
      element("p", { className: "quiet", textContent: taken === null ? `No label: ${why}.` : `Counts as “${taken}”: ${why}.` }),
      element("div", { className: "settle", role: "group", ariaLabel: `Settle ${item.id}` }, element("span", { className: "quiet", textContent: "Settle as" }), ...buttons));
  }

  byId("invite").onsubmit = async (event) => {
    event.preventDefault();
    const kind = byId("invite-kind").value;
    const made = await invite({ annotator: byId("invite-name").value, role: byId("invite-role").value, kind });
    if (!made) return;
    byId("invited").hidden = false;
    byId("invited-link").textContent = made.link ?? made.token;
    byId("invite").reset();
    draw();
  };
  byId("copy").replaceWith(copier(() => byId("invited-link").textContent));

  Web.watch(() => draw());
  draw();
})();
