// How a live picture stays live: a pure rule. All numbers are seconds.

/** So much more than the reserve is passed over, not made up by playing faster. */
const far = 1;
const [fast, slow] = [1.08, 0.96];
/** Each change of the rate is a small jolt, to sound above all: it begins late and ends soon. */
const [tooMuch, enough] = [0.1, 0.02];
/** The reserve at the beginning, and the most that it may become. */
const [least, most] = [0.12, 1.5];
/** Where a stream begins: how often media comes is not known yet. */
const patience = 0.25;
/** So long the least that was left counts: media comes in pieces, as sound that is encoded five times a second. */
const memory = 1;
/** What a picture that stood still adds to the reserve, and after how long half of that is forgotten. */
const [lesson, halfLife] = [0.05, 120];

export class KeepUp {
    #lately = [];
    #rate = 1;
    #extra = 0;
    #learned = 0;

    /** What should be left to play when it is least: just before more media comes. */
    #reserve(now) { return Math.min(most, least + this.#extra * 0.5 ** ((now - this.#learned) / halfLife)); }

    /** How far behind the newest media a stream begins. */
    beginning(now) { return this.#reserve(now) + patience; }

    /** The picture stood still because nothing was there to play. */
    stalled(now) {
        this.#extra = this.#reserve(now) - least + lesson;
        this.#learned = now;
    }

    /**
     * @param {number} ahead media that is there and not shown yet
     * @param {number} now of a clock that only goes forward
     * @returns {{rate: number, skip: number}} how fast to play, and how much to pass over
     */
    rule(ahead, now) {
        this.#lately.push({ ahead, now });
        while (this.#lately[0].now < now - memory) this.#lately.shift();
        const [left, reserve] = [Math.min(...this.#lately.map((one) => one.ahead)), this.#reserve(now)];
        if (left > reserve + far) {
            this.#lately = [];
            this.#rate = 1;
            return { rate: 1, skip: left - reserve };
        }
        if (left > reserve + tooMuch || this.#rate === fast && left > reserve + enough) this.#rate = fast;
        // Slower for a moment rather than standing still.
        else if (left < reserve * 0.4 || this.#rate === slow && left < reserve * 0.8) this.#rate = slow;
        else this.#rate = 1;
        return { rate: this.#rate, skip: 0 };
    }
}
