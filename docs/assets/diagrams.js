// Draws the Mermaid diagrams of a page, with the library that docs/hooks.py copies into the site.
const diagrams = document.querySelectorAll("pre.diagram");
if (diagrams.length > 0) {
  const { mermaid } = await import("./mermaid/index.js");
  const dark = document.body.dataset.mdColorScheme === "slate";
  mermaid.initialize({ startOnLoad: false, theme: dark ? "dark" : "neutral" });
  for (const [number, block] of diagrams.entries()) {
    const { svg } = await mermaid.render(`diagram-${number}`, block.textContent);
    const drawn = document.createElement("div");
    drawn.innerHTML = svg;
    block.replaceWith(drawn);
  }
}
