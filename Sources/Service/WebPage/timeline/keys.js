// The keys of the timeline.

const typed = "input:not([type=checkbox]), select, textarea";
/** Elements that a space key activates. */
const pressed = "button, a, summary, input";

/**
 * @param {Object<string, function>} actions of the view
 * @returns {() => void} a function that removes the listener
 */
export const hear = (actions) => {
    const simple = {
        k: () => actions.toggle(), "+": () => actions.zoom(0.5), "=": () => actions.zoom(0.5), "-": () => actions.zoom(2),
        Home: () => actions.first(), End: () => actions.edge(), a: () => actions.end("a"), b: () => actions.end("b"),
        n: () => actions.hop(1), p: () => actions.hop(-1), c: () => actions.cut(), s: () => actions.still(), u: () => actions.audio(), f: () => actions.full(), K: () => actions.keep(),
        ",": () => actions.frame(-1), ".": () => actions.frame(1),
    };
    const press = (event) => {
        if (event.altKey || event.metaKey || event.target.matches?.(typed) || document.querySelector("dialog[open]")) return;
        const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        let action = null;
        if (direction) action = () => (event.ctrlKey ? actions.frame(direction) : actions.step(direction * (event.shiftKey ? 10 : 1)));
        else if (event.ctrlKey) return;
        else if (event.key === " ") action = event.target.matches?.(pressed) ? null : () => actions.toggle();
        else action = simple[event.key];
        if (!action) return;
        event.preventDefault();
        // A key that is held down must not keep a recording and stop keeping it again.
        if (!event.repeat || direction || "+=-,.np".includes(event.key)) action();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
};
