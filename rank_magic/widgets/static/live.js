// anywidget (0.9.14 to 0.11) gives a model two seconds to come about. On a page that was busy for
// longer it drops all that the kernel sends to it, then and ever after. This comes before every
// script of ours: a widget to which that happened listens itself, and asks for what it missed.

const nothing = { content: { data: {} } };

// Make sure that a model has heard everything so far, and will.
async function listening(model) {
  const real = await model.widget_manager?.get_model?.(model.get("_id"));
  if (!real?.comm_live) return; // there is no kernel that could say something
  const heard = await real._handle_comm_msg(nothing).then(() => true, () => false);
  if (heard) return;
  const plain = Object.getPrototypeOf(real.constructor.prototype)._handle_comm_msg;
  await new Promise(done => {
    real.comm.on_msg(async message => {
      await plain.call(real, message);
      if (message.content.data.state?._id) done();
    });
    real.comm.send({ method: "request_state" }, real.callbacks());
  });
}

function live(widget) {
  return () => {
    let ready = null;
    return {
      // Not waited for: anywidget hears nothing before this has ended.
      initialize({ model }) { ready = listening(model); },
      async render(context) {
        await ready;
        return widget.render(context);
      },
    };
  };
}
