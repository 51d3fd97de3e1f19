// How a live picture stays live: a pure rule. All numbers are seconds.

const [fast, slow] = [1.08, 0.96];
/** Above the reserve: what is passed over, what is made up, and where that ends. Each change of the rate is a jolt to sound. */
const [far, tooMuch, enough] = [1, 0.1, 0.02];
/** Clocks run apart: so little more than the reserve, for so long, is made up too. */
const [slight, grace] = [0.03, 60];
/** The reserve at the beginning, and the most that it may become. */
const [least, most] = [0.12, 1.5];
/** More than that where a stream begins; and how long the least that was left counts: media comes in pieces. */
const [patience, memory] = [0.25, 1];
/** What a standstill adds to the reserve, and after how long half of that is forgotten. */
const [lesson, halfLife] = [0.05, 120];

export class KeepUp {
    #lately = [];
    #rate = 1;
    #extra = 0;
    #learned = 0;
    #fine = Infinity;

    /** What should be left to play when it is least: just before more media comes. */
    #reserve(now) { return Math.min(most, least + this.#extra * 0.5 ** ((now - this.#learned) / halfLife)); }

    beginning(now) { return this.#reserve(now) + patience; }

    /** Nothing was there to play. */
    stalled(now) {
        this.#extra = this.#reserve(now) - least + lesson;
        this.#learned = now;
    }

    /** Of media that is there and not shown yet: how fast to play, and how much to pass over. */
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
