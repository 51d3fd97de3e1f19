// Plays what one recorder recorded, at a moment of the clock on the wall: goes on from file to file, and says where nothing was
// recorded. What plays is in one `<video>`, what comes next waits in another.
import { say, texts } from "../texts.js";
import { button, make, setText } from "../parts/elements.js";
import { download } from "../parts/api.js";
import { address } from "../recordings/facts.js";
import { fileTime, wallTime } from "./film-clock.js";
import { JumpTime, follow } from "./in-step.js";
import { stamp } from "./moments.js";
import { Reel } from "./reel.js";
import { ScrubStill } from "./scrub-still.js";
import { shelfOf } from "./shelf.js";

/** Seconds of playing before the end at which the next file is opened. */
const early = 6;
/** Nobody sees less. Seconds. */
const same = 0.01;

export class FilmPlayer extends HTMLElement {
    #shelf;
    #reels = [new Reel(), new Reel()];
    #still = make("img", { class: "still", alt: "", hidden: true });
    #words = make("p", { class: "picture-words", role: "status" });
    #whole = make("a", { class: "button", download: "", hidden: true }, texts.wholeFile);
    #stillButton = button(texts.still, () => this.takeStill(), { "data-action": "still", disabled: true });
    #scrub = new ScrubStill(this.#still);
    #isScrubbing = false;
    #jump = new JumpTime();
    #sought = null;
    /** The recording that has the moment. */
    #held = null;
    #frame = 1 / 30;
    #mediaTime = null;
    /** "loading", "gap", "ready", "failed" */
    status = "loading";
    /** Since when it cannot go on; null while it can. Seconds of performance.now(). */
    lateSince = null;

    connectedCallback() {
        this.#shelf ??= shelfOf(this.dataset.name);
        const place = make("div", { class: "place" }, ...this.#reels.map((reel) => reel.video), this.#still, this.#words);
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", this.dataset.name);
        this.#stillButton.setAttribute("aria-label", say(texts.stillOf, { name: this.dataset.name }));
        this.replaceChildren(place, make("div", { class: "row" }, make("h2", {}, this.dataset.name),
            make("div", { class: "row end-buttons" }, this.#stillButton, this.#whole)));
        for (const reel of this.#reels) {
            reel.video.addEventListener("seeked", () => this.#jump.ended(seconds()));
            this.#watchFrames(reel);
        }
        this.#show();
    }

    disconnectedCallback() { for (const reel of this.#reels) reel.drop(); }

    get name() { return this.dataset.name; }
    get shelf() { return this.#shelf; }
    get video() { return this.#reels[0].video; }
    get recording() { return this.#reels[0].recording; }
    /** The moment that is on the screen, seconds since 1970; null where there is no picture of it. */
    get wall() {
        const [reel] = this.#reels;
        return this.status === "ready" && reel.isPlaced ? wallTime(reel.recording, reel.time) : null;
    }
    /** By which others may set their clock. */
    get leads() { return this.wall !== null && this.#reels[0].canGoOn && !this.#reels[0].hasEnded && !this.video.paused; }

    /**
     * Does what is to be done at a moment, many times a second.
     * @param {number} at seconds since 1970
     * @param {{isGoing: boolean, speed: number, isLead: boolean}} how
     */
    tick(at, { isGoing, speed, isLead }) {
        const recording = this.#shelf.at(at);
        if (recording?.id !== this.#held?.id || recording?.hasPicture !== this.#held?.hasPicture) { this.#held = recording ?? null; this.#show(); }
        if (!recording) {
            for (const reel of this.#reels) reel.video.pause();
            this.#sought = null;
            if (!this.#isScrubbing) this.#scrub.stop();
            return this.#become(recording === null ? "gap" : "loading");
        }
        if (!this.#take(recording, at)) {
            const isLost = this.#reels.some((reel) => reel.hasFailed && reel.recording?.id === recording.id);
            // Stills in the place of what this browser cannot play.
            if (isLost && !this.#isScrubbing) this.#scrub.wish(this.#shelf, at, 0.25, 960);
            return this.#become(isLost ? "failed" : "loading");
        }
        const [reel, spare] = this.#reels;
        // What grows is known better each time.
        if (reel.recording.end !== recording.end) reel.recording = recording;
        if (isGoing) this.#go(reel, at, speed, isLead); else this.#stand(reel, at);
        this.#become(reel.canGoOn || (!isGoing && reel.isPlaced) ? "ready" : "loading");
        // What was scrubbed to stays until the film is there.
        if (!this.#isScrubbing && this.status === "ready") this.#scrub.stop();
        if (isGoing && recording.end - at < early * Math.max(1, speed)) this.#prepare(recording, spare);
    }

    /** Brings a recording in front. @returns {boolean} whether it is there */
    #take(recording, at) {
        const [reel, spare] = this.#reels;
        const isHere = reel.recording?.id === recording.id;
        const isShort = reel.partOf !== null && reel.hasEnded && recording.bytes > reel.partOf;
        if (isHere && !reel.hasFailed && !isShort) return true;
        const place = fileTime(recording, at);
        if (spare.recording?.id !== recording.id || (isHere && spare.partOf !== null && spare.partOf <= reel.partOf)) {
            spare.load(recording, place);
        } else if (spare.isPlaced && Math.abs(spare.time - place) < 1.5) {
            this.#reels.reverse();
            for (const one of this.#reels) one.video.classList.toggle("front", one === spare);
            reel.video.pause();
            [spare.video.muted, spare.video.volume, reel.video.muted] = [reel.video.muted, reel.video.volume, true];
            this.#sought = null;
            this.#mediaTime = null;
            return true;
        } else if (spare.isPlaced) {
            spare.seek(place);
        }
        reel.video.pause();
        return false;
    }

    #prepare(recording, spare) {
        const next = this.#shelf.next(recording.begin);
        if (next && next.id !== spare.recording?.id) spare.load(next, 0);
    }

    #go(reel, at, speed, isLead) {
        this.#sought = null;
        const { video } = reel;
        if (video.ended) return;
        const off = reel.isPlaced ? wallTime(reel.recording, video.currentTime) - at : 0;
        const { rate, jump } = isLead && Math.abs(off) < 1.5 * Math.max(1, speed) ? { rate: speed, jump: false } : follow(off, speed);
        if (jump && reel.isPlaced) {
            this.#jump.began(seconds());
            reel.seek(fileTime(reel.recording, at + this.#jump.expected * speed));
        }
        if (Math.abs(video.playbackRate - rate) > 0.001) video.playbackRate = rate;
        if (video.paused) this.#play(video);
    }

    #play(video) {
        video.play().catch((error) => {
            // A browser may not let sound begin by itself; without it there is still a picture.
            if (error.name === "NotAllowedError") video.muted = true;
        });
    }

    #stand(reel, at) {
        reel.video.pause();
        const place = fileTime(reel.recording, at);
        if (this.#sought === place) return;
        this.#sought = place;
        if (Math.abs(reel.time - place) > same) reel.seek(place);
    }

    #become(status) {
        const isLate = status === "loading";
        this.lateSince = isLate ? this.lateSince ?? seconds() : null;
        if (status !== this.status) { this.status = status; this.#show(); }
    }

    #show() {
        this.dataset.status = this.status;
        setText(this.#words, this.status === "gap" ? texts.nothingRecorded : this.status === "failed" ? texts.cannotPlayFile : "");
        this.#words.hidden = !["gap", "failed"].includes(this.status);
        const recording = this.#held;
        this.dataset.recording = recording?.id ?? "";
        this.#stillButton.disabled = !recording?.hasPicture;
        this.#whole.hidden = !recording;
        if (!recording) return;
        this.#whole.href = address(recording, "file");
        this.#whole.download = recording.file;
        this.#whole.setAttribute("aria-label", say(texts.wholeFileOf, { file: recording.file }));
    }

    // MARK: What is asked of it

    /** Shows the picture of another moment, at once; null: the film goes there now. */
    scrub(wall, perPixel) {
        this.#isScrubbing = wall !== null;
        this.classList.toggle("scrubbing", this.#isScrubbing);
        if (wall !== null) this.#scrub.wish(this.#shelf, wall, perPixel, 480);
    }

    get isMuted() { return this.video.muted; }
    set isMuted(isMuted) { this.video.muted = isMuted; }

    /** Stores the exact picture of the moment. */
    takeStill() {
        const recording = this.#held;
        if (!recording?.hasPicture) return;
        const at = fileTime(recording, this.moment ?? recording.begin);
        download(address(recording, `still?at=${at.toFixed(3)}&exact=yes`), `${this.name}-${stamp(wallTime(recording, at))}.jpg`);
    }

    /** The moment one picture on or back from the one that is shown. @param {1|-1} direction */
    nextFrame(direction) {
        const reel = this.#reels[0];
        if (!reel.recording || this.wall === null) return null;
        const shown = this.#mediaTime !== null && Math.abs(this.#mediaTime - reel.time) < 0.5 ? this.#mediaTime : reel.time;
        return wallTime(reel.recording, Math.max(0, shown + (direction > 0 ? 1.5 : -0.5) * this.#frame));
    }

    /** Learns how long a picture is shown. */
    #watchFrames(reel) {
        if (!("requestVideoFrameCallback" in reel.video)) return;
        let last = null;
        const look = (_, frame) => {
            const apart = last === null ? 0 : Math.abs(frame.mediaTime - last);
            if (apart > 0.004 && apart < 0.1) this.#frame = apart < this.#frame ? apart : this.#frame * 0.9 + apart * 0.1;
            last = frame.mediaTime;
            if (reel === this.#reels[0]) this.#mediaTime = frame.mediaTime;
            if (this.isConnected) reel.video.requestVideoFrameCallback(look);
        };
        reel.video.requestVideoFrameCallback(look);
    }
}
customElements.define("film-player", FilmPlayer);

const seconds = () => performance.now() / 1000;
