// A ranking that can be edited: rows are dragged, moved by buttons, and graded anew.
// All that comes from the data is set as text, so that nothing in it is ever markup.

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function cellOfDocument(row, images) {
  const cell = make("td", { className: "rm-doc" });
  if (row.image && (images || row.image.startsWith("data:"))) {
    const picture = make("img", { alt: "", referrerPolicy: "no-referrer" });
    picture.src = row.image;
    cell.append(picture);
  }
  cell.append(make("span", {}, row.title), make("br"));
  for (const text of row.texts) cell.append(make("span", { className: "rm-more" }, text));
  if (row.url) {
    const link = { href: row.url, target: "_blank", rel: "noopener noreferrer" };
    cell.append(make("span", { className: "rm-more" }, make("a", link, row.url)));
  }
  return cell;
}

function gradeField(row, model) {
  const properties = { className: "rm-badge", ariaLabel: `Grade of ${row.name}` };
  const grades = model.get("grades");
  let field;
  if (grades.length) {
    field = make("select", properties);
    for (const grade of grades) field.append(make("option", { value: grade }, grade));
  } else {
    field = make("input", { ...properties, type: "number", min: 0, step: "any" });
  }
  field.value = row.grade === "?" && !grades.length ? "" : row.grade;
  field.dataset.does = "grade";
  field.disabled = !model.get("gradable");
  field.style.background = `rgba(0, 114, 178, ${row.shade})`;
  if (row.grade === "?") field.style.borderStyle = "dashed";
  return field;
}

function bars(row) {
  const cell = make("td", { className: "rm-bars" }, row.added);
  const track = make("div", { className: "rm-track" });
  for (const [name, width] of [["ideal", row.ideal], ["real", row.real]]) {
    const bar = make("div", { className: `rm-${name}` });
    bar.style.width = `${width}%`;
    track.append(bar);
  }
  cell.append(track);
  return cell;
}

function button(text, does, row, label, disabled) {
  const node = make("button", { type: "button", ariaLabel: label, title: label, disabled }, text);
  node.dataset.does = does;
  return node;
}

function rowOf(row, model) {
  const line = make("tr", { draggable: true, className: row.missed ? "rm-missed" : "" });
  line.dataset.id = row.id;
  const grade = make("td", {}, gradeField(row, model));
  const moves = make(
    "td", {},
    button("▲", "up", row, `Move up: ${row.name}`, row.first),
    button("▼", "down", row, `Move down: ${row.name}`, row.last),
  );
  line.append(
    make("td", { className: "rm-rank", title: "drag to another rank" }, row.rank),
    cellOfDocument(row, model.get("images")), grade, bars(row), moves,
  );
  return line;
}

function draw(model, root) {
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const kept = active && [active.closest("tr")?.dataset.id, active.dataset.does];
  const head = make("tr");
  for (const name of model.get("heads")) head.append(make("th", { scope: "col" }, name));
  const body = make("tbody");
  for (const row of model.get("rows")) body.append(rowOf(row, model));
  const table = make("table", {}, make("caption", { hidden: true }, model.get("title")));
  table.append(make("thead", {}, head), body);
  const notes = model.get("notes").map(note => make("p", { className: "rm-more" }, note));
  root.replaceChildren(table, ...notes);
  if (!kept || !kept[0]) return;
  const line = [...body.children].find(line => line.dataset.id === kept[0]);
  const same = line?.querySelector(`[data-does="${kept[1]}"]`);
  (same?.disabled ? line.querySelector("button:not(:disabled)") : same)?.focus();
}

function render({ model, el }) {
  const root = make("div", { className: "rm-list" });
  root.dataset.lmSuppressShortcuts = "true"; // or JupyterLab takes the keys
  let dragged = null;
  const rowAt = event => event.target.closest?.("tbody tr");
  const unmark = () => root.querySelectorAll(".rm-over").forEach(
    line => line.classList.remove("rm-over"));
  const tell = (row, does, value = null) => model.send({ row: Number(row), does, value });

  root.addEventListener("click", event => {
    const does = event.target.dataset?.does;
    if (does === "up" || does === "down") tell(rowAt(event).dataset.id, does);
  });
  const grade = event => {
    const { dataset, value } = event.target;
    if (dataset?.does === "grade") tell(rowAt(event).dataset.id, "grade", value);
  };
  root.addEventListener("change", grade);
  // In a notebook the Enter key does not end the typing, as it does elsewhere.
  root.addEventListener("keydown", event => {
    if (event.key === "Enter" && event.target.type === "number") grade(event);
  });
  root.addEventListener("dragstart", event => {
    dragged = rowAt(event)?.dataset.id ?? null;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
  });
  root.addEventListener("dragover", event => {
    if (dragged === null || !rowAt(event)) return;
    event.preventDefault();
    unmark();
    rowAt(event).classList.add("rm-over");
  });
  root.addEventListener("drop", event => {
    const line = rowAt(event);
    unmark();
    if (dragged === null || !line) return;
    event.preventDefault();
    event.stopPropagation();
    tell(dragged, "to", [...line.parentNode.children].indexOf(line) + 1);
    dragged = null;
  });
  root.addEventListener("dragend", () => { dragged = null; unmark(); });

  const redraw = () => draw(model, root);
  model.on("change:drawn", redraw);
  redraw();
  el.append(root);
  return () => model.off("change:drawn", redraw);
}

export default live({ render });
