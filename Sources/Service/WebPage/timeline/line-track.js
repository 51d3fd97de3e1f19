// The line itself: an axis, a row for each recorder, the cursor, the range from A to B, and a still at the pointer.
import { texts } from "../texts.js";
import { make, setText } from "../parts/elements.js";
import { listen } from "./gestures.js";
import { exactMoment, written } from "./moments.js";
import { Scale } from "./scale.js";
import { ScrubStill } from "./scrub-still.js";
import { serverNow, shelfOf } from "./shelf.js";
import { contextFormat, stepFor, tickFormat, ticks } from "./ticks.js";
import { colours, drawAxis, drawRow } from "./time-row.js";

/** The pixels between two ticks, and the distance in pixels within which a mark or the cursor counts as hit. */
const [apart, near] = [76, 9];
/** The hit distance, larger for a finger. */
const reach = () => (matchMedia("(pointer: coarse)").matches ? 22 : near);

export class LineTrack extends HTMLElement {
    /** @type {Scale} */
    scale = new Scale(0, 3600, 1);
    /** @type {import("./line-data.js").LineData} */
    data = null;
    #axis = make("canvas", { class: "axis", "aria-hidden": "true" });
    #rows = new Map();
    #cursor = make("div", { class: "cursor" });
    #region = make("div", { class: "region", hidden: true });
    #bubbleTime = make("p", { class: "number" });
    #bubbleMark = make("p", { class: "small" });
    #bubbleStill = make("img", { alt: "", hidden: true });
    #bubble = make("div", { class: "bubble", hidden: true, "aria-hidden": "true" }, this.#bubbleStill, this.#bubbleTime, this.#bubbleMark);
    #still = new ScrubStill(this.#bubbleStill);
    #at = null;
    #ends = { a: null, b: null };
    #frame = null;
    #heights = new Map();
    #taken = [];
    #sizes = new ResizeObserver(() => this.#measure());
    #themes = new MutationObserver(() => this.draw());
    #dark = matchMedia("(prefers-color-scheme: dark)");
    #again = () => this.draw();

    connectedCallback() {
        Object.entries({ role: "slider", tabindex: 0, "aria-label": texts.timeline, "aria-orientation": "horizontal" })
            .forEach(([name, value]) => this.setAttribute(name, value));
        this.replaceChildren(this.#axis, this.#region, this.#cursor, this.#bubble);
        listen(this, {
            isScrub: (place, target) => target === this.#axis || target === this.#cursor || (this.#at !== null && Math.abs(place - this.scale.place(this.#at)) < reach()),
            scrub: (place, target) => { this.#point(place, target); this.#tell("scrub", this.scale.time(place)); },
            go: (place, target) => { this.#point(null); this.#tell("go", this.#snapped(place, target)); },
            pan: (pixels) => this.#change(this.scale.panned(pixels)),
            pinchBegan: (places) => { this.#taken = places.map((place) => this.scale.time(place)); },
            pinch: (places) => this.#change(this.scale.pinched(this.#taken, places)),
            zoom: (factor, place) => this.#change(this.scale.zoomed(factor, place)),
            hover: (place, target) => this.#point(place, target),
        });
        this.#sizes.observe(this);
        this.#themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
        this.#dark.addEventListener("change", this.#again);
        this.#measure();
    }

    disconnectedCallback() {
        this.#sizes.disconnect();
        this.#themes.disconnect();
        this.#dark.removeEventListener("change", this.#again);
        cancelAnimationFrame(this.#frame);
        this.#still.stop();
    }

    #tell(kind, time) { this.dispatchEvent(new CustomEvent(kind, { detail: time })); }

    /** Sets the recorders, one row each, in this order. */
    set names(names) {
        if (names.join() === [...this.#rows.keys()].join()) return;
        const rows = new Map(names.map((name) => [name, this.#rows.get(name) ?? make("canvas", { class: "time-row", "data-name": name, "aria-hidden": "true" })]));
        for (const [name, row] of this.#rows) if (!rows.has(name)) row.remove();
        for (const row of rows.values()) this.insertBefore(row, this.#region);
        this.#rows = rows;
        this.#measure();
    }

    set cursor(at) {
        this.#at = at;
        this.#place();
    }

    set ends(ends) {
        this.#ends = ends;
        this.#place();
    }

    /** @param {Scale} scale of any width */
    show(scale) {
        this.scale = scale.wide(this.scale.width);
        this.data?.show(this.scale);
        this.draw();
    }

    #change(scale) {
        this.show(scale);
        this.dispatchEvent(new Event("scaled"));
    }

    zoom(factor) {
        const place = this.#at !== null && this.scale.has(this.#at) ? this.scale.place(this.#at) : this.scale.width / 2;
        this.#change(this.scale.zoomed(factor, place));
    }

    #measure() {
        const width = this.clientWidth;
        if (width < 2) return;
        for (const canvas of [this.#axis, ...this.#rows.values()]) this.#heights.set(canvas, canvas.clientHeight);
        this.scale = this.scale.wide(width);
        this.data?.show(this.scale);
        this.draw();
    }

    // MARK: Drawing

    /** Draws at the next screen refresh. */
    draw() { this.#frame ??= requestAnimationFrame(() => { this.#frame = null; this.#draw(); }); }

    #draw() {
        const [scale, now, colour] = [this.scale, serverNow(), colours()];
        const step = stepFor(scale.perPixel * apart);
        const format = tickFormat(step);
        const context = contextFormat(step);
        const found = ticks(scale.from, scale.to, step).map((at) => ({ at, text: written(at, format) }));
        drawAxis(this.#axis, scale, found, context && this.#dates(context), this.#heights.get(this.#axis), colour);
        for (const [name, canvas] of this.#rows) drawRow(canvas, scale, this.data.row(name), now, this.#heights.get(canvas), colour);
        this.#place();
    }

    /** The day, or both days if the range contains two. */
    #dates(format) {
        const [first, last] = [written(this.scale.from, format), written(this.scale.to, format)];
        return first === last ? first : `${first} – ${last}`;
    }

    /** Moves the elements that can move without a redraw. */
    #place() {
        const scale = this.scale;
        this.#cursor.hidden = this.#at === null || !scale.has(this.#at);
        if (!this.#cursor.hidden) this.#cursor.style.transform = `translateX(${scale.place(this.#at)}px)`;
        const { a, b } = this.#ends;
        this.#region.hidden = a === null && b === null;
        if (this.#region.hidden) return;
        const clamp = (place) => Math.min(scale.width + 2, Math.max(-2, place));
        const [left, right] = [clamp(scale.place(a ?? b)), clamp(scale.place(b ?? a))];
        this.#region.style.transform = `translateX(${left}px)`;
        this.#region.style.width = `${right - left}px`;
        this.#region.dataset.ends = `${a === null ? "" : "a"}${b === null ? "" : "b"}`;
    }

    // MARK: Pointing

    /** The number of pixels of the line that scrolled under the video. The video stays in place. */
    get #scrolled() {
        const stage = document.querySelector(".stage");
        return stage ? Math.max(0, stage.getBoundingClientRect().bottom - this.getBoundingClientRect().top) : 0;
    }

    /** The recorder's name in the row under the pointer; on the axis, the recorder that plays. */
    #nameAt(target) { return target?.dataset?.name ?? this.dataset.lead ?? null; }

    #markAt(place, name) {
        return name === null ? null : this.data.row(name).marks
            .map((mark) => ({ mark, off: Math.abs(this.scale.place(mark.time) - place) }))
            .filter(({ off }) => off <= near).sort((one, other) => one.off - other.off)[0]?.mark ?? null;
    }

    /** The exact time of a mark that is pressed. */
    #snapped(place, target) {
        const mark = target?.dataset?.name ? this.#markAt(place, target.dataset.name) : null;
        return mark ? mark.time : this.scale.time(place);
    }

    #point(place, target) {
        this.#bubble.hidden = place === null;
        if (place === null) return this.#still.stop();
        const [time, name] = [this.scale.time(place), this.#nameAt(target)];
        const mark = this.#markAt(place, name);
        setText(this.#bubbleTime, exactMoment(mark?.time ?? time));
        setText(this.#bubbleMark, mark?.title ?? name ?? "");
        const half = Math.min(this.scale.width, 200) / 2;
        this.#bubble.style.transform = `translate(${Math.min(this.scale.width - half, Math.max(half, place))}px, ${this.#scrolled}px) translate(-50%, -100%)`;
        if (name) this.#still.wish(shelfOf(name), mark?.time ?? time, this.scale.perPixel, 240);
    }
}
customElements.define("line-track", LineTrack);
