// Zooms and pans a drawing: buttons, + - 0, Ctrl and wheel, two fingers; drag, one finger, arrow keys and scroll bars move it.
window.eddylineDrawing = (frame) => {
  const LEAST = 0.1, MOST = 4, LEGIBLE = 0.8, STEP = 1.25, EDGE = 24, SLIP = 4;
  let scale = 1, grip = null, spread = 0, drawn = false, moved = false, notes = {};
  const svg = () => frame.querySelector("svg[viewBox]");
  const size = () => svg().viewBox.baseVal;
  const fitting = () => Math.min(1, (frame.clientWidth - EDGE) / size().width, (frame.clientHeight - EDGE) / size().height);
  const place = () => at({ clientX: svg().getBoundingClientRect().left, clientY: svg().getBoundingClientRect().top });
  const at = ({ clientX, clientY }) => [clientX - frame.getBoundingClientRect().left, clientY - frame.getBoundingClientRect().top];
  const show = () => {
    svg().style.width = `${size().width * scale}px`;
    frame.dataset.scale = scale.toFixed(2);
  };
  const zoom = (wanted, x = frame.clientWidth / 2, y = frame.clientHeight / 2) => {
    if (!drawn) return;
    const before = scale, [left, top] = place();
    scale = Math.min(MOST, Math.max(LEAST, wanted));
    show();
    const [newLeft, newTop] = place();
    frame.scrollBy(newLeft + (x - left) * scale / before - x, newTop + (y - top) * scale / before - y);
  };
  const named = { in: () => zoom(scale * STEP), out: () => zoom(scale / STEP), fit: () => zoom(fitting()) };
  const write = () => frame.querySelectorAll(".node[data-step]").forEach((node) => {
    const { text = "", tone = "" } = notes[node.dataset.step] ?? {};
    const line = node.querySelector("br")?.nextSibling;
    if (line && line.textContent !== text) line.textContent = text;
    node.dataset.tone = tone;
    node.setAttribute("aria-label", [node.dataset.name, text].filter(Boolean).join(", "));
  });
  const begin = () => {
    drawn = true;
    scale = Math.max(Math.min(1, (frame.clientWidth - EDGE) / size().width), LEGIBLE);
    show();
    frame.querySelectorAll(".node").forEach((node) => {
      const number = node.id.match(/-n(\d+)-\d+$/)?.[1];
      if (number === undefined) return;
      node.dataset.step = number;
      node.dataset.name = node.querySelector("p").firstChild.textContent;
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      node.setAttribute("aria-pressed", "false");
    });
    write();
    const first = frame.querySelector(".node")?.getBoundingClientRect();
    if (first) frame.scrollLeft += first.left + first.width / 2 - frame.getBoundingClientRect().left - frame.clientWidth / 2;
  };
  frame.parentElement.querySelectorAll("[data-zoom]").forEach((button) => {
    button.addEventListener("click", named[button.dataset.zoom]);
  });
  frame.addEventListener("keydown", (event) => {
    const name = { "+": "in", "=": "in", "-": "out", 0: "fit" }[event.key];
    const node = event.target.closest(".node[role]");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (name) named[name]();
    else if (node && ["Enter", " "].includes(event.key)) { moved = false; node.dispatchEvent(new MouseEvent("click", { bubbles: true })); }
    else return;
    event.preventDefault();
  });
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(scale * Math.exp(-event.deltaY / 300), ...at(event));
  }, { passive: false });
  frame.addEventListener("pointerdown", (event) => {
    moved = false;
    if (event.pointerType === "mouse" && event.button === 0) grip = [event.clientX + frame.scrollLeft, event.clientY + frame.scrollTop];
  });
  window.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [left, top] = [grip[0] - event.clientX, grip[1] - event.clientY];
    moved ||= Math.hypot(left - frame.scrollLeft, top - frame.scrollTop) > SLIP;
    if (moved) frame.scrollTo(left, top);
  });
  frame.addEventListener("click", (event) => {
    const node = event.target.closest(".node[role]");
    if (moved) event.stopPropagation();
    else if (node) frame.querySelectorAll(".node[role]").forEach((other) => other.setAttribute("aria-pressed", `${other === node}`));
  }, { capture: true });
  ["pointerup", "pointercancel", "blur"].forEach((name) => window.addEventListener(name, () => { grip = null; }));
  const pinch = (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const [[x, y], [otherX, otherY]] = [...event.touches].map(at);
    const now = Math.hypot(x - otherX, y - otherY);
    if (event.type === "touchmove") zoom(scale * now / spread, (x + otherX) / 2, (y + otherY) / 2);
    spread = now;
  };
  ["touchstart", "touchmove"].forEach((name) => frame.addEventListener(name, pinch, { passive: false }));
  const observer = new MutationObserver(() => svg() && (observer.disconnect(), begin()));
  observer.observe(frame, { childList: true, subtree: true });
  if (svg()) { observer.disconnect(); begin(); }
  frame.eddylineNotes = (given) => { notes = given; write(); };
};
