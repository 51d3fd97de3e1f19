// Shows the picture of a moment while somebody moves over it: one request is on its way, the newest wish is the next one.
import { address } from "../recordings/facts.js";
import { fileTime } from "./film-clock.js";
import { stillStep } from "./scale.js";

export class ScrubStill {
    #image;
    #wish = null;
    #isBusy = false;
    #shown = "";

    /** @param {HTMLImageElement} image hidden while there is no picture */
    constructor(image) { this.#image = image; }

    /** @param {number} perPixel seconds: what is nearer than a few pixels is the same picture */
    wish(shelf, wall, perPixel, width) {
        this.#wish = { shelf, wall, perPixel, width };
        this.#next();
    }

    stop() {
        this.#wish = null;
        this.#image.hidden = true;
        this.#shown = "";
    }

    async #next() {
        if (this.#isBusy || !this.#wish) return;
        this.#isBusy = true;
        const { shelf, wall, perPixel, width } = this.#wish;
        const wish = this.#wish;
        let recording = shelf.at(wall);
        if (recording === undefined) {
            await shelf.load(wall);
            recording = shelf.at(wall);
        }
        if (recording?.hasPicture) await this.#show(recording, wall, stillStep(perPixel), width, wish);
        else if (this.#wish === wish) this.stop();
        this.#isBusy = false;
        if (this.#wish === wish) this.#wish = null; else this.#next();
    }

    async #show(recording, wall, step, width, wish) {
        const at = Math.floor(fileTime(recording, wall) / step) * step;
        const place = address(recording, `still?at=${Number(at.toFixed(3))}&width=${width}`);
        if (place === this.#shown) { this.#image.hidden = false; return; }
        const next = new Image();
        next.src = place;
        try { await next.decode(); } catch { return; }
        // Nobody wants one any more; of an older wish it is better than none.
        if (!this.#wish && this.#wish !== wish) return;
        this.#image.src = place;
        this.#image.hidden = false;
        this.#shown = place;
    }
}
