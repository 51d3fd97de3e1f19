// Icons of buttons. They are drawn, because not every machine has glyphs for them.
import { draw } from "./elements.js";

const shapes = {
    play: "M5 3v14l12-7z",
    pause: "M4 3h4v14H4zM12 3h4v14h-4z",
    back: "M4 3h2.5v14H4zM17 3v14L7 10z",
    next: "M13.5 3H16v14h-2.5zM3 3v14l10-7z",
};

/** An icon without text. Its button therefore needs a name for screen readers. */
export const icon = (name) => draw("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" }, draw("path", { d: shapes[name], fill: "currentColor" }));
