// Draws masks over a still, and shows their texts for the configuration. Does not change the configuration.
import { say, texts } from "../texts.js";
import { button, draw, make, setText } from "../parts/elements.js";
import { get } from "../parts/api.js";
import { tell, tellOf } from "../parts/messages.js";
import { added, cornerAt, fileText, hasArea, most, moved, nearest, optionText, styleText, textOf } from "./polygons.js";

const words = texts.mask;
const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class MaskEditor extends HTMLElement {
    /** The corners of each mask, by its element. */
    #masks = new Map();
    #selected = null;
    /** The number of the selected corner of the selected mask, which then has the focus; null if there is none. */
    #corner = null;
    /** The corners of the mask that is being drawn. */
    #corners = [];
    #cross = [500, 500];
    /** The pointer that is pressed. */
    #held = null;
    #line = draw("polyline");
    #dots = draw("path", { class: "dots" });
    #lines = draw("path", { class: "cross" });
    #place = draw("svg", {
        viewBox: "0 0 1000 1000", preserveAspectRatio: "none", tabindex: 0, role: "application", "aria-label": words.place, "aria-describedby": "mask-help",
        onpointerdown: (event) => this.#down(event), onpointermove: (event) => this.#move(event), onpointerup: (event) => this.#up(event),
        onpointercancel: () => { this.#held = null; }, onkeydown: (event) => this.#press(event),
        // The focus follows the selection, not the element that was clicked or tapped.
        onmousedown: (event) => event.preventDefault(),
        onfocusin: ({ target }) => {
            if (target !== this.#selected) this.#corner = null;
            if (this.#masks.has(target)) this.#selected = target;
            this.#show();
        },
    }, this.#line, this.#dots, this.#lines);
    #said = make("p", { role: "status" });
    #remove = button(words.remove, () => this.#takeBack(), { "data-action": "remove-mask" });
    #kind = make("select", { "aria-label": words.style }, ...Object.entries(words.styles).map(([value, text]) => make("option", { value }, text)));
    #color = make("input", { type: "color", "aria-label": words.styles.color });
    #side = make("input", { type: "number", min: 8, max: 512, step: 2, value: 32, "aria-label": words.side });
    #file = make("textarea", { readonly: true, rows: 4 });
    #options = make("textarea", { readonly: true, rows: 2 });

    connectedCallback() {
        const text = (kind, area) => [make("label", {}, words[kind], area), button(words.copy, () => {
            area.select();
            // `execCommand` works without TLS too, unlike `navigator.clipboard`.
            if (document.execCommand("copy")) tell(words.copied);
        }, { "data-action": `copy-${kind}`, "aria-label": `${words.copy}: ${words[kind]}` })];
        const { name } = this.dataset;
        this.replaceChildren(make("div", { class: "row" }, make("a", { href: `#/recorder/${encodeURIComponent(name)}`, class: "back" }, `← ${name}`), make("h1", {}, words.title)),
            make("p", { class: "hint" }, words.still), make("p", { class: "hint", id: "mask-help" }, words.help), make("p", { class: "hint", id: "mask-keys" }, words.keys), this.#said,
            make("div", { class: "row start", oninput: () => this.#show() }, this.#remove, this.#kind, this.#color, this.#side),
            make("p", { class: "hint" }, words.hint), ...text("file", this.#file), ...text("options", this.#options));
        this.#show();
        this.#load();
    }

    async #load() {
        try {
            const still = await (await get(`/api/recorders/${encodeURIComponent(this.dataset.name)}/snapshot`)).blob();
            const image = make("img", { src: URL.createObjectURL(still), alt: "" });
            await image.decode();
            const frame = make("div", { class: "mask-frame" }, image, this.#place);
            frame.style.setProperty("--ratio", image.naturalWidth / image.naturalHeight);
            this.#said.before(frame);
        } catch (error) {
            tellOf(error);
        }
    }

    get #all() { return [...this.#masks.values(), this.#corners]; }

    /** Moves the crosshair to a pointer. Returns how near a corner must be to count as hit, across and down. */
    #follow(event) {
        const frame = this.#place.getBoundingClientRect();
        this.#cross = cornerAt(event.clientX, event.clientY, frame);
        const pixels = event.pointerType === "mouse" ? 9 : 20;
        return [1000 * pixels / frame.width, 1000 * pixels / frame.height];
    }

    #down(event) {
        if (event.button !== 0 || !event.isPrimary) return;
        this.#place.setPointerCapture(event.pointerId);
        const reach = this.#follow(event);
        this.#held = { from: this.#cross, mask: event.target, corner: nearest(this.#all, this.#cross, reach) };
    }

    #move(event) {
        const held = this.#held;
        // The crosshair stays at a selected corner.
        if (!event.isPrimary || !held && (event.pointerType !== "mouse" || this.#corner !== null)) return;
        this.#follow(event);
        if (held?.corner && (held.isDrag ||= !nearest([[held.from]], this.#cross, [8, 8]))) this.#drag(held.corner);
        this.#show();
    }

    /** Moves a corner to the crosshair. Returns false if its mask would then have no area. */
    #drag({ polygon, index }) {
        const mask = [...this.#masks.keys()][polygon];
        const corners = this.#all[polygon].with(index, this.#cross);
        if (!mask) this.#corners = corners; else if (!hasArea(corners)) return false; else this.#masks.set(this.#selected = mask, corners);
        return true;
    }

    /** Selects a mask, or one of its corners. */
    #choose(mask, corner = null) {
        mask.focus();
        [this.#selected, this.#corner] = [mask, corner];
        if (corner !== null) this.#cross = this.#masks.get(mask)[corner];
        this.#say();
    }

    /** Selects the next or the previous corner of a mask. */
    #chooseNext(mask, isBefore) {
        const count = this.#masks.get(mask).length;
        this.#choose(mask, ((this.#corner ?? (isBefore ? 0 : -1)) + (isBefore ? count - 1 : 1)) % count);
    }

    #up(event) {
        const held = this.#held;
        if (!event.isPrimary || !held) return;
        this.#held = null;
        const reach = this.#follow(event);
        const ofCorner = [...this.#masks.keys()][held.corner?.polygon];
        const mask = ofCorner ?? (this.#masks.has(held.mask) ? held.mask : null);
        if (held.isDrag ? ofCorner : mask && this.#corners.length === 0) return this.#choose(mask, ofCorner ? held.corner.index : null);
        this.#place.focus();
        if (held.isDrag) this.#say(); else this.#put(reach);
    }

    #press(event) {
        const way = ways[event.key]?.map((one) => one * (event.shiftKey ? 50 : 10));
        const mask = this.#masks.has(event.target) ? event.target : null;
        const put = () => (mask ? this.#chooseNext(mask, event.shiftKey) : this.#put());
        const action = way ? () => this.#shift(way) : {
            " ": put, Enter: put, Backspace: () => this.#corners.length > 0 && this.#takeBack(), Delete: () => this.#takeBack(),
            Escape: () => { if (this.#corner === null) this.#corners = []; this.#corner = null; this.#say(); },
        }[event.key];
        if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        action();
    }

    /** Moves the crosshair, and the selected corner with it. */
    #shift(way) {
        const from = this.#cross;
        this.#cross = moved(from, way);
        const isMoved = this.#corner === null || this.#drag({ polygon: [...this.#masks.keys()].indexOf(this.#selected), index: this.#corner });
        if (!isMoved) this.#cross = from;
        this.#say(isMoved ? undefined : words.refused);
    }

    /** Adds a corner at the crosshair, or closes the mask. */
    #put(reach) {
        const [corners, isClosed] = this.#masks.size < most ? added(this.#corners, this.#cross, reach) : [[], null];
        this.#corners = isClosed ? [] : corners;
        if (isClosed) {
            this.#selected = draw("polygon", { tabindex: 0, role: "button", "aria-describedby": "mask-keys" });
            this.#masks.set(this.#selected, corners);
            this.#line.before(this.#selected);
        }
        this.#say(isClosed === null ? words.refused : words.state);
    }

    /** Removes the selected corner; else the last corner of the mask that is being drawn; else the selected mask. */
    #takeBack() {
        if (this.#corner !== null) {
            const rest = this.#masks.get(this.#selected).toSpliced(this.#corner, 1);
            if (!hasArea(rest)) return this.#say(words.refused);
            this.#masks.set(this.#selected, rest);
            return this.#choose(this.#selected, this.#corner % rest.length);
        }
        if (this.#corners.length > 0) {
            this.#corners = this.#corners.slice(0, -1);
        } else {
            this.#masks.delete(this.#selected);
            this.#selected?.remove();
            this.#selected = [...this.#masks.keys()].at(-1);
        }
        this.#place.focus();
        this.#say();
    }

    /** Shows the state, and announces it. */
    #say(text = this.#corner === null ? words.state : words.corner) {
        this.#show();
        const count = this.#corner === null ? this.#corners.length : this.#masks.get(this.#selected).length;
        setText(this.#said, say(text, { place: textOf([this.#cross]), number: this.#corner + 1, corners: count, masks: this.#masks.size }));
    }

    #show() {
        const [x, y] = this.#cross;
        for (const [mask, corners] of this.#masks) {
            mask.setAttribute("points", corners.join(" "));
            mask.setAttribute("aria-label", say(words.name, { text: textOf(corners) }));
            mask.setAttribute("aria-pressed", String(mask === this.#selected));
        }
        this.#line.setAttribute("points", this.#corners.concat([this.#cross]).join(" "));
        this.#dots.setAttribute("d", this.#all.flat().map((corner) => `M${corner}h0`).join(""));
        this.#lines.setAttribute("d", `M0 ${y}H1000M${x} 0V1000`);
        this.#remove.disabled = this.#corners.length + this.#masks.size === 0;
        const isColor = this.#kind.value === "color";
        [this.#color.hidden, this.#side.hidden] = [!isColor, isColor];
        this.#place.style.fill = isColor ? this.#color.value : "gray";
        const [masks, style] = [[...this.#masks.values()], styleText(isColor, this.#color.value, this.#side.value)];
        this.#file.value = fileText(masks, style);
        this.#options.value = optionText(masks, style);
    }
}
customElements.define("mask-editor", MaskEditor);
