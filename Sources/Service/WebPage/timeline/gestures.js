// Gestures on a timeline: dragging, pinching, the wheel, and hovering.

/** The maximum movement of a press, in pixels; a larger movement is a drag. */
const still = 6;

/**
 * @param {HTMLElement} element the target of the gestures
 * @param {Object} callbacks functions that receive positions in pixels from the left edge. `isScrub` returns true if a
 * drag that begins at the position moves the cursor. `go` receives the position of a press, or of the end of a drag.
 * `hover` receives null when the pointer leaves.
 */
export const listen = (element, callbacks) => {
    const pointers = new Map();
    let kind = null;
    let began = null;

    const placeOf = (event) => event.clientX - element.getBoundingClientRect().left;
    const places = () => [...pointers.values()].map(({ place }) => place);

    element.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        element.setPointerCapture(event.pointerId);
        const place = placeOf(event);
        pointers.set(event.pointerId, { place });
        if (pointers.size === 2) {
            kind = "pinch";
            callbacks.hover(null, null);
            callbacks.pinchBegan(places());
        } else if (pointers.size === 1) {
            kind = callbacks.isScrub(place, event.target) ? "scrub" : "press";
            began = { place, last: place, target: event.target };
            if (kind === "scrub") callbacks.scrub(place, event.target);
        }
    });

    element.addEventListener("pointermove", (event) => {
        const place = placeOf(event);
        const pointer = pointers.get(event.pointerId);
        if (!pointer) {
            if (event.pointerType !== "touch") callbacks.hover(place, event.target);
            return;
        }
        pointer.place = place;
        if (kind === "pinch") {
            if (pointers.size === 2) callbacks.pinch(places());
        } else if (kind === "scrub") {
            callbacks.scrub(place, began.target);
        } else {
            if (kind === "press" && Math.abs(place - began.place) > still) kind = "pan";
            if (kind !== "pan") return;
            callbacks.hover(null, null);
            callbacks.pan(place - began.last);
            began.last = place;
        }
    });

    const up = (event) => {
        if (!pointers.delete(event.pointerId)) return;
        const isOver = pointers.size === 0;
        if (event.type === "pointerup" && (kind === "scrub" || kind === "press")) callbacks.go(placeOf(event), event.target);
        else if (kind === "scrub") callbacks.go(began.place, event.target);
        if (isOver) kind = null;
        else kind = "over";
    };
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("pointerleave", (event) => { if (!pointers.has(event.pointerId)) callbacks.hover(null, null); });

    element.addEventListener("wheel", (event) => {
        event.preventDefault();
        const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
        const [across, down] = event.shiftKey && event.deltaX === 0 ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
        if (Math.abs(across) > Math.abs(down)) callbacks.pan(-across * unit);
        else callbacks.zoom(Math.exp(Math.max(-120, Math.min(120, down * unit)) * 0.003), placeOf(event));
    }, { passive: false });
};
