// A script of another package may have five megabytes. It is evaluated once for all its widgets
// on a page, and when all else is there, so that nothing waits for it that need not.

const scripts = (globalThis.rankMagicScripts ??= new Map());

// The module of a script, once one of its widgets has brought it.
function moduleFor(model) {
  const name = model.get("_script_name");
  if (!scripts.has(name)) {
    const one = {};
    one.module = new Promise(resolve => { one.resolve = resolve; });
    scripts.set(name, one);
  }
  const one = scripts.get(name);
  const text = model.get("_script");
  if (text && one.resolve) {
    one.resolve(evaluated(text));
    one.resolve = null;
  }
  return one.module;
}

const idle = () => new Promise(done => {
  if (globalThis.requestIdleCallback) requestIdleCallback(done, { timeout: 1000 });
  else setTimeout(done, 50);
});

async function evaluated(text) {
  await idle();
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return await import(/* webpackIgnore: true */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function made(context) {
  const widget = (await moduleFor(context.model)).default;
  const one = typeof widget === "function" ? await widget() : widget;
  await one.initialize?.(context); // from the present state: what it missed is in there
  return one;
}

// A model's widget is made when it is first seen, and stays the same.
const widgets = new Map();

async function render(context) {
  const id = context.model.get("_id");
  if (!widgets.has(id)) widgets.set(id, made(context));
  return (await widgets.get(id)).render(context);
}

export default live({ render });
