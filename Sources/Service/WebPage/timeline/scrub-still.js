// Shows the still of a time during a drag. Sends one request at a time; the next request is for the newest time.
import { address } from "../recordings/facts.js";
import { fileTime } from "./recording-clock.js";
import { stillStep } from "./scale.js";

export class ScrubStill {
    #image;
    #wish = null;
    #isBusy = false;
    #shown = "";

    /** @param {HTMLImageElement} image hidden while there is no still */
    constructor(image) { this.#image = image; }

    /** @param {number} perPixel the seconds of one pixel; times within a few pixels share a still */
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
        // A still that is no longer wanted is shown only during a drag: there, an older still is better than none.
        if (!this.#wish && this.#wish !== wish) return;
        this.#image.src = place;
        this.#image.hidden = false;
        this.#shown = place;
    }
}
