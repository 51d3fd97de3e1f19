// The rules that choose between a recorder's main stream and its sub-stream. Pure; all times are seconds.

/** The maximum factor by which a tile enlarges the sub-stream: `enough` to switch to it, `most` to stay with it. */
const [enough, most] = [1.5, 1.7];

/**
 * Returns the stream for a tile.
 * @param {{width: number, height: number}|null} small the sub-stream's size; null without a sub-stream
 * @param {{width: number, height: number}} tile the tile's size in CSS pixels; 0 while it is not laid out
 * @param {string} current the stream that the tile shows
 * @param {boolean} isHeard whether audio plays; only the main stream has audio
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

/** The delay in seconds from capture to arrival above which the line is too slow for the main stream. */
const late = 3;
/**
 * The seconds until the main stream is tried again: at first, and at most. After `forgiving` seconds without a late
 * keyframe, `first` applies again.
 */
const [first, longest, forgiving] = [30, 600, 300];

/**
 * Judges the line by the delay of the keyframes of main streams. If a line delivers fewer bytes than the stream has,
 * the rest is queued, and each keyframe arrives later than the one before.
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
