"use strict";
// One item at a time. The next ones are loaded ahead, answers are sent in the background, and what
// could not be sent is retried until the server has it.
(() => {
  const { byId, count, element } = Drawing;
  const common = JSON.parse(byId("choices-data").textContent);
  const kind = JSON.parse(byId("answer-kind").textContent); // one, several, text, number, passages
  const BETWEEN = " | "; // stands between several labels
  let choices = common; // of the item that is shown
  const AHEAD = 3;
  const AGAIN_MS = 1500;
  const TWICE_MS = 300; // a double click must not answer the next item too
  const LONG = 40; // characters; above this, each choice gets a line of its own
  const TOOLS = "bpsu"; // back, play, skip, undo
  const LETTERS = [..."acdefghijklmnoqrtvwxyz"]; // those that are not tools
  let keys = [];
  // Where a tool's letter is typed, or is an answer, all tools need Alt.
  const isTyped = kind === "text" || kind === "number";
  let isLettered = false, isAlt = isTyped;

  const coming = []; // items held and not answered, the shown one first
  const before = []; // items answered here, with their answers
  const unsent = []; // what the server has not confirmed, in order
  let shown = null; // the item on the page
  let past = -1; // its index in `before` while looking back, else -1
  let since = performance.now();
  let standing = null;
  let ended = null;
  let isStopped = false; // by the annotator, who may go on
  let refusal = ""; // why the server refused an answer; shown until the next answer
  const drawn = new Map(); // elements of items, made ahead so that media are loaded
  let isAsking = false;
  let isSending = false;
  let isUndoing = false;
  let clicked = -Infinity;

  function keysOf(values) {
    const own = values.map((v) => v.toLowerCase());
    if (own.every((v) => /^[a-z0-9]$/.test(v)) && new Set(own).size === own.length) return own;
    const free = [..."123456789", ...(values.length > 9 ? LETTERS : [])];
    return values.map((_, k) => free[k] ?? null);
  }

  // An item may bring its own choices, such as the options of a question.
  function choose(item) {
    choices = item.choices ?? common;
    keys = keysOf(choices);
    isLettered = keys.some((key) => key && TOOLS.includes(key));
    isAlt = isTyped || isLettered;
    drawTools();
    byId("choices").classList.toggle("long", choices.some((c) => c.length > LONG));
    byId("choices").classList.toggle("short", choices.length > 0 && choices.every((c) => c.length <= 3));
  }

  function drawTools() {
    for (const [id, key] of [["back", "b"], ["skip", "s"], ["undo", "u"]]) {
      byId(id).querySelector("kbd").textContent = isAlt ? `Alt ${key}` : key;
      byId(id).setAttribute("aria-keyshortcuts", isAlt ? `Alt+${key}` : key);
    }
  }

  // Fetching.
  async function fill() {
    if (isAsking || ended || coming.length >= AHEAD) return;
    isAsking = true;
    try {
      const { items, end } = await Web.call("/api/ask", { n: AHEAD - coming.length });
      const known = new Set([...coming, ...unsent].map((i) => i.id));
      coming.push(...items.filter((i) => !known.has(i.id)));
      if (ended !== null) giveBack(); // the annotator stopped meanwhile
      else if (!items.length) ended = end;
      if (items.length) follow(); // what is held counts against the budget
      preload();
      say("");
    } catch (error) {
      if (!fail(error)) {
        if (error instanceof Web.Refused) say(error.message);
        setTimeout(fill, AGAIN_MS);
      }
      return;
    } finally {
      isAsking = false;
    }
    if (!shown) next();
    else if (coming.length < AHEAD && !ended) setTimeout(fill, AGAIN_MS);
  }

  function preload() {
    const wanted = coming.slice(0, AHEAD);
    for (const id of drawn.keys()) if (!wanted.some((i) => i.id === id)) drawn.delete(id);
    for (const item of wanted) if (!drawn.has(item.id)) drawn.set(item.id, Web.show(item));
  }

  // Sending: one request at a time, so that answers keep their order.
  async function send() {
    if (isSending || !unsent.length) return;
    isSending = true;
    mark("saving …");
    while (unsent.length) {
      try {
        await unsent[0].run();
        unsent.shift();
        say("");
      } catch (error) {
        if (fail(error)) break;
        if (error instanceof Web.Refused && error.status < 500 && error.status !== 429) {
          unsent.shift();
          refusal = error.message;
          say("");
          await lookBack();
        } else {
          mark(`${unsent.length} not saved yet`);
          say("The server does not answer. Your answers are kept here and will be sent again.");
          await new Promise((done) => setTimeout(done, AGAIN_MS));
        }
      }
    }
    isSending = false;
    if (unsent.length) return;
    mark(refusal ? "not saved" : "saved");
    follow();
    fill();
  }

  function queue(id, run) {
    refusal = "";
    say("");
    unsent.push({ id, run });
    send();
  }

  // This annotator's answers, as the server has them.
  async function lookBack() {
    try {
      const told = await Web.call("/api/answers?n=20");
      const waiting = before.filter((i) => unsent.some((u) => u.id === i.id));
      before.splice(0, before.length, ...told.items.reverse().filter((i) => !waiting.some((w) => w.id === i.id)), ...waiting);
      if (past >= 0) { past = -1; next(); }
    } catch (error) { fail(error); }
  }

  function answer(label) {
    if (!shown || !label) return;
    const item = shown;
    const seconds = Math.round((performance.now() - since) / 100) / 10;
    const attributes = Object.fromEntries([...byId("confirm").querySelectorAll("input:checked")].filter((i) => i.value).map((i) => [i.name, i.dataset.value]));
    const replace = item.answer !== null && item.answer !== undefined;
    queue(item.id, () => Web.call("/api/tell", { answers: [{ id: item.id, label, attributes, seconds }], replace }));
    item.answer = label;
    item.attributes = { ...item.attributes, ...attributes };
    if (past >= 0) { past += 1; if (past >= before.length) past = -1; } else { coming.shift(); before.push(item); }
    next();
  }

  function skip() {
    if (!shown || past >= 0) return;
    const { id } = coming.shift();
    queue(id, () => Web.call("/api/skip", { ids: [id] }));
    next();
  }

  function back() {
    if (past === 0 || (past < 0 && !before.length)) { mark("nothing before this"); return; }
    past = past < 0 ? before.length - 1 : past - 1;
    next();
  }

  async function undo() {
    if (unsent.length) { mark("wait until your answer is saved"); return; }
    if (isUndoing) return;
    isUndoing = true;
    try {
      const { items } = await Web.call("/api/undo", {});
      for (const item of items) {
        const at = before.findIndex((i) => i.id === item.id);
        if (at >= 0) before.splice(at, 1);
        coming.unshift(item);
      }
      past = -1;
      ended = null;
      next();
      mark("taken back");
      follow();
    } catch (error) {
      if (!fail(error)) mark(error.status === 400 ? "nothing to undo" : error.message);
    } finally {
      isUndoing = false;
    }
  }

  async function giveBack() {
    const ids = coming.map((i) => i.id);
    coming.length = 0;
    ended = "you gave the rest back";
    isStopped = true;
    past = -1;
    if (shown) next();
    if (ids.length) queue(ids[0], () => Web.call("/api/give-back", { ids }));
  }

  // Showing.
  function next() {
    shown = past >= 0 ? before[past] : coming[0] ?? null;
    since = performance.now();
    byId("answer").hidden = !shown;
    byId("item").hidden = !shown && ended !== null;
    byId("item").setAttribute("aria-busy", String(!shown));
    byId("ended").hidden = Boolean(shown) || ended === null;
    byId("skip").disabled = !shown || past >= 0;
    byId("back").disabled = past === 0 || (past < 0 && !before.length);
    byId("give-back").disabled = !coming.length;
    if (shown) drawItem();
    else if (ended !== null) drawEnd();
    else { byId("item-title").textContent = "Choosing the next one …"; byId("show").replaceChildren(); byId("arm").textContent = ""; }
    fill();
  }

  let given = []; // of several labels or passages, those given so far

  function drawItem() {
    choose(shown);
    warn("");
    given = shown.answer && (kind === "several" || kind === "passages") ? shown.answer.split("|").map((part) => part.trim()) : [];
    byId("item-title").textContent = past >= 0 ? `Your answer ${past + 1} of ${before.length}: ${shown.id}` : shown.id;
    byId("show").replaceChildren(...(drawn.get(shown.id) ?? Web.show(shown)));
    byId("arm").textContent = shown.arm.replaceAll(/(^|, )([^=,]+)=/g, (_, comma, name) => `${comma && " · "}${name} `);
    const said = Object.entries(shown.predictions ?? {});
    byId("predictions").hidden = !said.length;
    byId("predictions").replaceChildren(...said.map(([name, text]) => element("p", { className: "quiet" }, `${name} says `, element("b", { textContent: text }))));
    byId("confirm").replaceChildren(...shown.confirm.map(confirmation));
    byId("choices").replaceChildren(...choices.map(choice));
    byId("free").hidden = !isTyped;
    byId("save").hidden = kind !== "several" && kind !== "passages";
    drawPassages();
    if (isTyped) { byId("free-text").value = shown.answer ?? ""; byId("free-text").focus({ preventScroll: true }); } else byId("item").focus({ preventScroll: true });
  }

  // Several labels are switched on and off and saved together.
  function give(text) {
    if (kind !== "several") { answer(text); return; }
    given = given.includes(text) ? given.filter((one) => one !== text) : [...given, text];
    byId("choices").replaceChildren(...choices.map(choice));
  }

  // Passages are selected in the text and listed below it; a click on one takes it away.
  function drawPassages() {
    byId("passages").hidden = kind !== "passages";
    if (kind !== "passages") return;
    const made = given.map((text) => {
      const button = element("button", { type: "button", className: "passage" }, element("mark", { textContent: text, dir: "auto" }), " \u00d7");
      button.setAttribute("aria-label", `Remove ${text}`);
      button.onclick = () => { given = given.filter((one) => one !== text); drawPassages(); };
      return button;
    });
    byId("passages").replaceChildren(...(made.length ? made : [element("span", { className: "quiet", textContent: "Select the passages in the text above." })]));
    for (const part of document.querySelectorAll("#show .shown-text")) highlight(part);
  }

  function highlight(part) {
    const text = part.textContent;
    const places = given.map((one) => [text.indexOf(one), one]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0]);
    const nodes = [];
    let at = 0;
    for (const [start, one] of places) {
      if (start < at) continue;
      nodes.push(text.slice(at, start), element("mark", { textContent: one }));
      at = start + one.length;
    }
    part.replaceChildren(...nodes, text.slice(at));
  }

  document.addEventListener("pointerup", () => {
    if (kind !== "passages" || !shown) return;
    const selected = getSelection();
    const isInside = [...document.querySelectorAll("#show .shown-text")].some((part) => selected.anchorNode && part.contains(selected.anchorNode) && part.contains(selected.focusNode));
    const text = isInside ? selected.toString().replaceAll("|", " ").trim() : "";
    if (!text) return;
    given = [...given.filter((one) => !text.includes(one)), text];
    selected.removeAllRanges();
    drawPassages();
  });

  function choice(text, k) {
    const isGiven = kind === "several" ? given.includes(text) : shown.answer === text;
    const box = element("button", { type: "button", className: "choice", onclick: once(() => give(text)) }, element("span", { textContent: text, dir: "auto" }), ...(keys[k] ? [element("kbd", { textContent: keys[k] })] : []));
    if (keys[k]) box.setAttribute("aria-keyshortcuts", keys[k]);
    if (shown.answer || kind === "several") box.setAttribute("aria-pressed", String(isGiven));
    return box;
  }

  function once(act) {
    return (event) => {
      if (event.detail > 1 && event.timeStamp - clicked < TWICE_MS) return;
      clicked = event.timeStamp; // the time of the click itself, however slow the page is
      act();
    };
  }

  function confirmation({ attribute, values }, q) {
    const given = shown.attributes?.[attribute];
    const options = ["", ...values].map((v, k) => {
      const id = `confirm-${q}-${k}`;
      const input = element("input", { type: "radio", name: attribute, id, value: v, checked: v === (given ?? "") });
      input.dataset.value = v;
      return element("span", {}, input, element("label", { htmlFor: id, textContent: v === "" ? "not sure" : v }));
    });
    return element("fieldset", { className: "confirm" }, element("legend", { textContent: `Which ${attribute}? Only if you are sure.` }), ...options);
  }

  function drawEnd() {
    const goOn = element("button", { type: "button", className: "primary", textContent: isStopped ? "Go on labelling" : "Look again" });
    goOn.onclick = () => { ended = null; isStopped = false; next(); };
    byId("ended").replaceChildren(
      element("h2", { textContent: isStopped ? "You have stopped" : "Nothing more to label" }),
      element("p", { className: "quiet", textContent: `${ended[0].toUpperCase()}${ended.slice(1)}. Thank you: ${count(standing?.own ?? before.length)} of your answers are recorded.` }),
      goOn,
    );
  }

  async function follow() {
    try {
      standing = await Web.call("/api/status");
    } catch (error) { fail(error); return; }
    const { labels, budget, spent, own, stop, choosing, services } = standing;
    byId("progress-text").textContent = `${count(labels)} ${labels === 1 ? "label" : "labels"} · ${Web.spending(spent, budget)} · ${count(own)} ${own === 1 ? "answer is" : "answers are"} yours`;
    byId("progress").value = budget ? Math.min(1, spent / budget) : 0;
    byId("goal").hidden = !stop && !choosing;
    byId("goal").textContent = choosing ? `Labels are chosen ${choosing}.` : "";
    if (stop) {
      const now = services.map((s) => s.half_width).filter((w) => w !== null);
      const reached = now.length ? `; now ±${(100 * Math.max(...now)).toFixed(1)}%` : "";
      byId("goal").textContent += stop.for === "ranking"
        ? ` Labelling ends when the order of the first three services is settled, or they are tied within ${(100 * stop.half_width).toFixed(1)} points${now.length ? (Math.max(...now) ? `; they may still differ by ${(100 * Math.max(...now)).toFixed(1)}` : "; it is settled") : ""}.`
        : ` Labelling ends when the accuracy (${stop.for}) is known to ±${(100 * stop.half_width).toFixed(1)}%${reached}.`;
    }
  }

  function fail(error) {
    if (error instanceof Web.Refused && error.status === 401) {
      if (unsent.length) mark(`${unsent.length} not saved`);
      say("Your session has ended. Saved answers are safe. Ask for a new link and open it in this browser.");
      return true;
    }
    return false;
  }

  const say = (text) => { byId("trouble").textContent = text || refusal; byId("trouble").hidden = !(text || refusal); };
  const warn = (text) => { byId("wrong").textContent = text; byId("wrong").hidden = !text; }; // beside the answer
  const mark = (text) => { byId("saved").textContent = text; };

  // Keys. While someone types text, Enter saves and tools need Alt.
  const acts = { s: skip, u: undo, b: back, p: play };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.isComposing) return;
    if (event.altKey) {
      const act = acts[/^Key([A-Z])$/.exec(event.code)?.[1].toLowerCase()]; // by position: with Alt, layouts type other characters
      if (isAlt && act) { event.preventDefault(); if (!event.repeat) act(); }
      return;
    }
    const typing = event.target.closest?.("textarea, input[type=text], select");
    if (typing) {
      if (event.target.id === "free-text" && event.key === "Enter" && !event.shiftKey) { event.preventDefault(); submit(); }
      return;
    }
    const k = keys.indexOf(keyOf(event));
    if (k >= 0 && shown) { event.preventDefault(); if (!event.repeat) give(choices[k]); return; }
    const act = isLettered ? null : acts[keyOf(event)]; // outside a text, a letter is a tool too
    if (act && !event.repeat) { event.preventDefault(); act(); }
    if (event.key === "Enter" && !byId("save").hidden && shown && !event.target.closest("button, a, summary")) { event.preventDefault(); submit(); return; }
    if (event.key === "Enter" && past >= 0 && !event.target.closest("button, a")) { event.preventDefault(); past = past + 1 < before.length ? past + 1 : -1; next(); }
  });

  // Digits by key position, since some layouts have other characters there; letters without shift.
  function keyOf(event) {
    const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];
    return digit && !event.shiftKey ? digit : event.key.toLowerCase();
  }

  function play() {
    const audio = document.querySelector("#show audio");
    if (!audio) return;
    if (audio.paused) audio.play().catch(() => {}); // paused before it started
    else audio.pause();
  }

  function submit() {
    const text = isTyped ? byId("free-text").value.trim() : (kind === "several" ? choices.filter((one) => given.includes(one)) : given).join(BETWEEN);
    const wrong = !text ? (isTyped ? "Type an answer, or skip." : kind === "several" ? "Choose at least one, or skip." : "Select at least one passage, or skip.")
      : kind === "number" && !Number.isFinite(Number(text)) ? `${text} is not a number.` : "";
    warn(wrong);
    if (wrong) return;
    answer(text);
  }

  byId("answer").onsubmit = (event) => { event.preventDefault(); submit(); };
  byId("skip").onclick = once(skip);
  byId("undo").onclick = once(undo);
  byId("back").onclick = once(back);
  byId("give-back").onclick = giveBack;
  addEventListener("beforeunload", (event) => { if (unsent.length) event.preventDefault(); });
  addEventListener("focus", () => { send(); fill(); }); // a new link may have been opened meanwhile

  (async () => {
    try {
      const held = await Web.call("/api/pending");
      coming.push(...held.items);
      const told = await Web.call("/api/answers?n=20");
      before.push(...told.items.reverse());
    } catch (error) {
      if (!fail(error)) say(error.message);
    }
    await follow();
    const instructions = byId("instructions");
    if (instructions && before.length) instructions.open = false; // who has answered has read them
    Web.watch(follow);
    preload();
    drawTools();
    next();
  })();
})();
