// Draws the Mermaid diagrams of a page in the colors of its scheme, with the library that docs/hooks.py copies into the site.
const diagrams = [...document.querySelectorAll("pre.diagram")].map((block) => {
  const drawn = document.createElement("div");
  drawn.className = "diagram-drawn";
  return { block, drawn, source: block.textContent };
});

if (diagrams.length > 0) {
  const { mermaid } = await import("./mermaid/index.js");
  const draw = async () => {
    const dark = document.body.dataset.mdColorScheme === "slate";
    mermaid.initialize({ startOnLoad: false, theme: dark ? "dark" : "neutral" });
    for (const [number, { block, drawn, source }] of diagrams.entries()) {
      const { svg } = await mermaid.render(`diagram-${number}`, source);
      drawn.innerHTML = svg;
      block.replaceWith(drawn);
    }
  };
  await draw();
  new MutationObserver(draw).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
}
