// Plays one or two recorders by one clock: the first leads, the other follows. Playback skips gaps that they share.
import { StepClock } from "./in-step.js";

/** The interval of the clock, in milliseconds. */
const beat = 50;
/** The seconds that one player may lag before all players wait for it. */
const patience = 0.3;

const seconds = () => performance.now() / 1000;

export class Playback extends EventTarget {
    #clock = new StepClock();
    #players = [];
    #isPlaying = false;
    #timer = null;
    #refreshed = 0;

    get at() { return this.#clock.time(seconds()); }
    get isPlaying() { return this.#isPlaying; }
    get speed() { return this.#clock.speed; }
    get players() { return this.#players; }

    begin() { this.#timer = setInterval(() => this.#tick(), beat); }
    end() {
        clearInterval(this.#timer);
        this.#isPlaying = false;
    }

    /** @param {import("./recording-player.js").RecordingPlayer[]} players the first is the leader */
    use(players) {
        this.#players = players;
        this.#tick();
    }

    /** @param {number} at seconds since 1970 */
    go(at) {
        this.#clock.set(at, seconds());
        this.#tick();
        this.dispatchEvent(new Event("moved"));
    }

    play() { this.#set(true); }
    pause() { this.#set(false); }
    set speed(speed) { this.#clock.turn(speed, seconds()); }

    #set(isPlaying) {
        if (this.#isPlaying === isPlaying) return;
        this.#isPlaying = isPlaying;
        // Playback stops at the frame on the screen.
        const lead = this.#players.find((player) => player.leads);
        this.#clock.hold(seconds());
        if (!isPlaying && lead) this.#clock.set(lead.wall, seconds());
        this.#tick();
        this.dispatchEvent(new Event("changed"));
    }

    #tick() {
        const now = seconds();
        const isLate = this.#players.some(({ lateSince }) => lateSince !== null && (now - lateSince > patience || !this.#clock.isGoing));
        const goes = this.#isPlaying && !isLate && this.#players.length > 0;
        if (goes !== this.#clock.isGoing) goes ? this.#clock.go(now) : this.#clock.hold(now);
        const lead = this.#players.find(({ status }) => status !== "gap");
        if (goes && lead?.leads) this.#clock.lean(lead.wall, now);
        if (goes && this.#players.every(({ status }) => status === "gap")) this.#passGap();
        const at = this.#clock.time(now);
        for (const player of this.#players) {
            player.moment = at;
            player.tick(at, { isGoing: this.#clock.isGoing, speed: this.#clock.speed, isLead: player === lead });
        }
        this.#refresh(now);
    }

    /** Skips a gap that all recorders share, up to the next recording. If there is none, playback pauses. */
    #passGap() {
        const next = this.#players.map(({ shelf }) => shelf.next(this.at));
        if (next.includes(undefined)) return;
        const begins = next.filter(Boolean).map(({ begin }) => begin);
        if (begins.length === 0) return this.pause();
        this.#clock.set(Math.min(...begins) + 0.001, seconds());
    }

    /** Requests growing recordings again every second or two. */
    #refresh(now) {
        if (now - this.#refreshed < 2 || document.hidden) return;
        this.#refreshed = now;
        for (const { shelf, held } of this.#players) shelf.refresh(held);
    }
}
