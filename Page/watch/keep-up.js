// How a live picture stays live: a pure rule. All numbers are seconds.

/** More than this behind is not made up by playing faster. */
const far = 1;
const fast = 1.08;
/** What one would want where media came evenly, and the least and most that is waited for. */
const margin = 0.06;
const [least, most] = [0.08, 1.5];

export class KeepUp {
    /** The longest that was waited for more media, lately. */
    #spacing = 0.2;
    #end = 0;
    #endAt = 0;
    #extra = 0;

    /** How far behind the newest media the picture should be. */
    get target() { return Math.min(most, Math.max(least, this.#spacing + margin + this.#extra)); }

    /** More media came: its end, and when that was. */
    arrived(end, now) {
        if (end <= this.#end + 0.001) return;
        const gap = now - this.#endAt;
        if (this.#endAt > 0 && gap < 1) this.#spacing = Math.max(gap, this.#spacing * 0.99);
        this.#end = end;
        this.#endAt = now;
    }

    /** The picture stood still because nothing was there to play. */
    stalled() { this.#extra = Math.min(1, this.#extra + 0.05); }

    /**
     * @param {number} ahead media that is there and not shown yet
     * @returns {{rate: number, jump: boolean}} how fast to play; jump: go to where `target` is left
     */
    rule(ahead) {
        this.#extra *= 0.999;
        if (ahead > this.target + far) return { rate: 1, jump: true };
        if (ahead > this.target + 0.1) return { rate: fast, jump: false };
        // Slower for a moment rather than standing still.
        if (ahead < this.target * 0.4) return { rate: 0.96, jump: false };
        return { rate: 1, jump: false };
    }
}
