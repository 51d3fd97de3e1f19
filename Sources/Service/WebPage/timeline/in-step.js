// Synchronization of players to one clock. Pure rules. All times are seconds; `now` is `performance.now()` in seconds.

/** The clock that all players of a timeline follow. It is stopped, or runs at a speed. */
export class StepClock {
    #at = 0;
    #since = 0;
    #isGoing = false;
    speed = 1;

    get isGoing() { return this.#isGoing; }
    time(now) { return this.#isGoing ? this.#at + (now - this.#since) * this.speed : this.#at; }
    set(at, now) { [this.#at, this.#since] = [at, now]; }
    go(now) { this.set(this.time(now), now); this.#isGoing = true; }
    hold(now) { this.set(this.time(now), now); this.#isGoing = false; }
    turn(speed, now) { this.set(this.time(now), now); this.speed = speed; }

    /** Moves the clock towards the leader's time in small steps, so that the other players need not jump. */
    lean(at, now) {
        const off = at - this.time(now);
        this.set(Math.abs(off) > 0.3 * Math.max(1, this.speed) ? at : this.time(now) + off * 0.3, now);
    }
}

/** The distance in seconds within which players are in sync: less than the duration of a frame. */
const near = 0.02;
/** The distance in seconds beyond which playing faster does not help. */
const far = 0.35;

/** The reaction of a player that is `off` seconds of media ahead of the clock, or behind it if `off` is negative. */
export const follow = (off, speed) => {
    const late = off / Math.max(1, speed);
    if (Math.abs(late) > far) return { rate: speed, jump: true };
    if (Math.abs(late) < near) return { rate: speed, jump: false };
    const share = Math.min(0.25, Math.max(-0.25, -late));
    return { rate: speed * (1 + share), jump: false };
};

/** Measures how long one player takes to jump, so that the next jump ends at the clock's time. */
export class JumpTime {
    #expected = 0.15;
    #began = null;

    get expected() { return this.#expected; }
    began(now) { this.#began = now; }
    ended(now) {
        if (this.#began === null) return;
        const took = Math.min(2, now - this.#began);
        this.#expected = this.#expected * 0.5 + took * 0.5;
        this.#began = null;
    }
}
