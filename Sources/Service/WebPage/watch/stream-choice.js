// The rules that choose between a recorder's main stream and its sub-stream. Pure; all times are seconds.

/** The factor by which a tile may enlarge the sub-stream; a tile that shows it already may enlarge it a little more. */
const [enough, most] = [1.5, 1.7];

/**
 * Returns the stream for a tile.
 * @param {{width: number, height: number}|null} small the sub-stream's size; null without a sub-stream
 * @param {{width: number, height: number}} tile its size in CSS pixels; 0 while it is not laid out
 * @param {string} current the stream that it shows
 * @param {boolean} isHeard whether audio plays, which only the main stream has
 * @param {boolean} isSlow whether the line is too slow for the main stream
 * @returns {"main"|"sub"}
 */
export const streamFor = (small, tile, { current, isHeard, isSlow }) => {
    if (!small || isHeard) return "main";
    if (isSlow) return "sub";
    if (!(tile.width > 0 && tile.height > 0)) return current;
    // The video fits into the tile, so the smaller factor counts.
    const factor = Math.min(tile.width / small.width, tile.height / small.height);
    return factor <= (current === "sub" ? most : enough) ? "sub" : "main";
};

/** Seconds from capture to arrival above which the line delivers less than the main stream needs. */
const late = 3;
/** The first and the longest time until the main stream is tried again, and the time after which the first one applies. */
const [first, longest, forgiving] = [30, 600, 300];

/**
 * Judges the line by how late the keyframes of main streams arrive: a line that delivers fewer bytes than the stream has
 * queues the rest, so each keyframe arrives later than the one before.
 */
export class LineMeter {
    #slowUntil = -Infinity;
    #pause = first;

    /** Records a keyframe of a main stream, with the seconds from its capture to its arrival. */
    arrived(delay, now) {
        if (delay <= late || this.isSlow(now)) return;
        if (now - this.#slowUntil > forgiving) this.#pause = first;
        this.#slowUntil = now + this.#pause;
        this.#pause = Math.min(longest, this.#pause * 2);
    }

    isSlow(now) { return now < this.#slowUntil; }
}
