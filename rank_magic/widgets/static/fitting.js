// plotly draws 700 pixels wide while its place is not in the page yet, and then listens to the
// window only: it is told when its place has a width, and when that changes.

function render({ el }) {
  const misfits = () => [...(el.closest(".rm-explorer")?.querySelectorAll(".js-plotly-plot") ?? [])]
    .some(plot => plot._fullLayout && Math.abs(plot._fullLayout.width - plot.clientWidth) > 2);
  const tell = () => { if (misfits()) window.dispatchEvent(new Event("resize")); };
  const observer = new ResizeObserver(tell);
  observer.observe(el);
  const timer = setInterval(tell, 500);
  return () => { observer.disconnect(); clearInterval(timer); };
}

export default live({ render });
