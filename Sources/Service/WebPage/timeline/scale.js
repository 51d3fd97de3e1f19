// The shown time range of a line and its width. Pure: seconds since 1970 and pixels.

/** The shortest and the longest time range that can be shown: a fifth of a second, two centuries. */
export const [shortest, longest] = [0.2, 200 * 365.25 * 86400];
/** The latest time that the server supports: the end of the year 9999. */
const latest = 253402300799;

/** A time range on a width in pixels. Values are immutable: each change returns another value. */
export class Scale {
    constructor(from, to, width) {
        const middle = (from + to) / 2;
        this.length = Math.min(longest, Math.max(shortest, to - from));
        this.from = Math.min(latest - this.length, Math.max(0, this.length === to - from ? from : middle - this.length / 2));
        this.width = Math.max(1, width);
    }

    get to() { return this.from + this.length; }
    get perPixel() { return this.length / this.width; }

    /** The position of a time, in pixels from the left. */
    place(time) { return (time - this.from) / this.perPixel; }
    time(place) { return this.from + place * this.perPixel; }
    has(time) { return time >= this.from && time <= this.to; }

    /** @param {number} factor 2 shows twice the time @param {number} place the position whose time does not move */
    zoomed(factor, place = this.width / 2) {
        const length = Math.min(longest, Math.max(shortest, this.length * factor));
        const from = this.time(place) - length * place / this.width;
        return new Scale(from, from + length, this.width);
    }

    /** @param {number} pixels the movement to the right; it shows earlier times */
    panned(pixels) { return this.starting(this.from - pixels * this.perPixel); }
    starting(from) { return new Scale(from, from + this.length, this.width); }
    ending(to) { return this.starting(to - this.length); }
    wide(width) { return new Scale(this.from, this.to, width); }

    /**
     * The scale after two fingers have moved: each finger stays on its time.
     * @param {number[]} times the times under the fingers at the start
     * @param {number[]} places their current positions
     */
    pinched(times, places) {
        const apart = Math.max(8, Math.abs(places[1] - places[0]));
        const length = Math.min(longest, Math.max(shortest, Math.abs(times[1] - times[0]) / apart * this.width));
        const middle = (places[0] + places[1]) / 2;
        const from = (times[0] + times[1]) / 2 - length * middle / this.width;
        return new Scale(from, from + length, this.width);
    }
}

/** The time range to request: one screen more on each side, so that data is available after panning. */
export const askedFor = (scale) => {
    const from = Math.max(0, scale.from - scale.length);
    const to = Math.min(latest, scale.to + scale.length);
    return { from, to, step: Math.max(scale.perPixel, (to - from) / 4000) };
};

/** The distance between times with stills: 1, 2, 5, 10 … seconds. Nearby times therefore share a still. */
export const stillStep = (perPixel) => {
    const wanted = Math.max(1, perPixel * 4);
    const power = 10 ** Math.floor(Math.log10(wanted));
    return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= wanted * 0.999);
};
