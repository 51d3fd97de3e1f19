// The timeline's data for the shown time range. Sends one request at a time; the next request is for the newest range.
import { getJSON } from "../parts/api.js";
import { askedFor } from "./scale.js";

/** Milliseconds until the next request: while something is being recorded, and otherwise. */
const [soon, later] = [2500, 15000];

export class LineData extends EventTarget {
    /** The server's last answer to `/api/timeline`; null before the first answer. */
    line = null;
    problem = "";
    #scale = null;
    #asked = null;
    #isBusy = false;
    #isWanted = false;
    #abort = new AbortController();
    #timer = null;

    /** Sets the time range that is shown. @param {import("./scale.js").Scale} scale */
    show(scale) {
        this.#scale = scale;
        const old = this.#asked;
        const isCovered = old && old.from <= scale.from && old.to >= scale.to && old.step <= scale.perPixel * 2 && old.step >= scale.perPixel / 2;
        if (!isCovered) this.ask();
    }

    end() {
        this.#abort.abort();
        clearTimeout(this.#timer);
    }

    /** Sends a request after the current one. */
    async ask() {
        this.#isWanted = true;
        if (this.#isBusy || !this.#scale) return;
        this.#isBusy = true;
        while (this.#isWanted && !this.#abort.signal.aborted) {
            this.#isWanted = false;
            clearTimeout(this.#timer);
            this.#asked = askedFor(this.#scale);
            try {
                this.line = await getJSON(`/api/timeline?${new URLSearchParams(this.#asked)}`, this.#abort.signal);
                this.problem = "";
            } catch (error) {
                if (error.name === "AbortError") return;
                this.problem = error.message;
            }
            this.dispatchEvent(new Event("change"));
        }
        this.#isBusy = false;
        this.#timer = setTimeout(() => (document.hidden ? this.#later() : this.ask()), this.#pause);
    }

    #later() { this.#timer = setTimeout(() => this.ask(), soon); }

    get #pause() {
        const grows = this.line?.recorders.some(({ spans }) => spans.some(({ isGrowing }) => isGrowing));
        const isAtEdge = this.line && this.#scale && this.#scale.to >= this.line.now - later / 1000;
        return this.problem || grows || isAtEdge ? soon : later;
    }

    /** One recorder's row; empty if the recorder recorded nothing in this time range. */
    row(name) { return this.line?.recorders.find((row) => row.name === name) ?? { name, spans: [], marks: [], activity: [] }; }
}
