// plotly's script has five megabytes. It is evaluated once for all figures of a page, and when all
// else is there: anywidget gives a model two seconds to come about, and drops every later message
// of one that took longer, whatever kept the page busy.

const scripts = (globalThis.rankMagicPlotly ??= new Map());

// The module of a plotly, once one of its figures has brought the script.
function plotlyFor(model) {
  const version = model.get("_plotly");
  if (!scripts.has(version)) {
    const one = {};
    one.module = new Promise(resolve => { one.resolve = resolve; });
    scripts.set(version, one);
  }
  const one = scripts.get(version);
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

export default () => {
  let figure = null;
  const made = async context => {
    const widget = (await plotlyFor(context.model)).default;
    const one = typeof widget === "function" ? await widget() : widget;
    await one.initialize?.(context); // from the present state: what it missed is in there
    return one;
  };
  return {
    async render(context) {
      figure ??= made(context);
      return (await figure).render(context);
    },
  };
};
