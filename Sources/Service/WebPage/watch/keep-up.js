// The rule that keeps live video live. Pure; all numbers are seconds.

const [fast, slow] = [1.08, 0.96];
/**
 * Limits for the excess: the seconds of media above the reserve. An excess above `far` is skipped. An excess above
 * `tooMuch` makes playback faster until only `enough` is left. Each change of the rate is audible.
 */
const [far, tooMuch, enough] = [1, 0.1, 0.02];
/** An excess above `slight` seconds, as clock drift causes it, is corrected after `grace` seconds. */
const [slight, grace] = [0.03, 60];
/** The initial reserve and its maximum. */
const [least, most] = [0.12, 1.5];
/**
 * The extra reserve at the start of a stream, and the time over which the minimum of the available media is taken. A
 * minimum is needed because media arrives in pieces.
 */
const [patience, memory] = [0.25, 1];
/** The seconds that a stall adds to the reserve, and the half-life of that addition. */
const [lesson, halfLife] = [0.05, 120];

export class KeepUp {
    #lately = [];
    #rate = 1;
    #extra = 0;
    #learned = 0;
    #fine = Infinity;

    /** The seconds of media that should remain at the minimum, just before more media arrives. */
    #reserve(now) { return Math.min(most, least + this.#extra * 0.5 ** ((now - this.#learned) / halfLife)); }

    beginning(now) { return this.#reserve(now) + patience; }

    /** Reports that playback ran out of media. */
    stalled(now) {
        this.#extra = this.#reserve(now) - least + lesson;
        this.#learned = now;
    }

    /** Returns the playback rate and the seconds to skip. @param {number} ahead seconds of media not yet shown */
    rule(ahead, now) {
        this.#lately.push({ ahead, now });
        while (this.#lately[0].now < now - memory) this.#lately.shift();
        const [left, reserve] = [Math.min(...this.#lately.map((one) => one.ahead)), this.#reserve(now)];
        if (left > reserve + far) {
            this.#lately = [];
            this.#rate = 1;
            return { rate: 1, skip: left - reserve };
        }
        this.#fine = left > reserve + slight ? Math.min(this.#fine, now) : now;
        if (left > reserve + tooMuch || now - this.#fine > grace || this.#rate === fast && left > reserve + enough) this.#rate = fast;
        else if (left < reserve * 0.4 || this.#rate === slow && left < reserve * 0.8) this.#rate = slow;
        else this.#rate = 1;
        return { rate: this.#rate, skip: 0 };
    }
}
