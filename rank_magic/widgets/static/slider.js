// A slider and a number field that say the same, both with a name: ipywidgets' sliders have none.

function render({ model, el }) {
  const id = `rm-slider-${crypto.randomUUID?.() ?? Math.random().toString(36).slice(2)}`;
  const root = Object.assign(document.createElement("div"), { className: "rm-slider" });
  const label = Object.assign(document.createElement("label"), { htmlFor: id });
  const range = Object.assign(document.createElement("input"), { type: "range" });
  const field = Object.assign(document.createElement("input"), { type: "number", id });
  root.dataset.lmSuppressShortcuts = "true"; // or JupyterLab takes the arrow keys
  root.append(label, range, field);

  const show = () => {
    label.textContent = model.get("description");
    range.ariaLabel = `${model.get("description")}, slider`;
    for (const input of [range, field]) {
      for (const name of ["min", "max", "step"]) input[name] = model.get(name);
      // Nobody's typing is overwritten.
      if (!(input === field && document.activeElement === field)) input.value = model.get("value");
      input.disabled = model.get("disabled");
    }
  };
  const set = event => {
    const value = event.target.valueAsNumber;
    if (!Number.isFinite(value)) return;
    const inside = Math.min(Math.max(value, model.get("min")), model.get("max"));
    model.set("value", inside);
    model.save_changes();
  };
  // The notebook takes arrow keys from whatever they are pressed on: they are answered here.
  const steps = {
    ArrowRight: 1, ArrowUp: 1, PageUp: 10, ArrowLeft: -1, ArrowDown: -1, PageDown: -10,
  };
  range.addEventListener("keydown", event => {
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (by > 0) range.stepUp(by); else range.stepDown(-by);
    set({ target: range });
  });
  range.addEventListener("input", set);
  field.addEventListener("change", set);
  // In a notebook the Enter key does not end the typing, as it does elsewhere.
  field.addEventListener("keydown", event => { if (event.key === "Enter") set(event); });
  field.addEventListener("blur", show);
  const names = ["value", "min", "max", "step", "description", "disabled"];
  for (const name of names) model.on(`change:${name}`, show);
  show();
  el.append(root);
  return () => { for (const name of names) model.off(`change:${name}`, show); };
}

export default live({ render });
