// The rule that limits how often a stream is requested again that this browser fails to decode. Pure; all numbers are
// seconds.

/** The failures without a rest, the longest rest, and the time without a failure after which earlier ones are forgotten. */
const [free, most, calm] = [2, 60, 30];

export class FailureRest {
    #failures = 0;
    /** The end of the last rest. */
    #end = -Infinity;

    /** Records a failure. @returns {number} the seconds until the stream may be requested again */
    failed(now) {
        if (now - this.#end > calm) this.#failures = 0;
        this.#failures += 1;
        const rest = this.#failures <= free ? 0 : Math.min(most, 2 ** (this.#failures - free));
        this.#end = now + rest;
        return rest;
    }
}
