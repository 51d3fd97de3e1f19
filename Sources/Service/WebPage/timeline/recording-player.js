// Plays one recorder's recordings at a wall time, continues from file to file, and shows gaps. One `<video>` plays.
// Another `<video>` already loads the next file.
import { say, texts } from "../texts.js";
import { button, make, setText } from "../parts/elements.js";
import { download } from "../parts/api.js";
import { address, refusalOf } from "../recordings/facts.js";
import { keep } from "../recordings/keep.js";
import { who } from "../session.js";
import { fileTime, wallTime } from "./recording-clock.js";
import { JumpTime, follow } from "./in-step.js";
import { stamp } from "./moments.js";
import { Reel } from "./reel.js";
import { ScrubStill } from "./scrub-still.js";
import { shelfOf } from "./shelf.js";

/** The seconds before the end at which the next file is opened. */
const early = 6;
/** A difference in seconds that is not visible. */
const same = 0.01;

export class RecordingPlayer extends HTMLElement {
    #shelf;
    #reels = [new Reel(), new Reel()];
    #still = make("img", { class: "still", alt: "", hidden: true });
    #words = make("p", { class: "video-words", role: "status" });
    #whole = make("a", { class: "button", download: "", hidden: true }, texts.wholeFile);
    #stillButton = button(texts.still, () => this.takeStill(), { "data-action": "still", disabled: true });
    #keepButton = button(texts.keep, () => this.setKept(!this.#held?.isKept), { "data-action": "keep", hidden: true });
    #scrub = new ScrubStill(this.#still);
    #isScrubbing = false;
    #jump = new JumpTime();
    #sought = null;
    /** The recording at the current time. */
    #held = null;
    #frame = 1 / 30;
    #mediaTime = null;
    /** "loading", "gap", "ready", "failed" */
    status = "loading";
    /** The time since which the player cannot continue, in seconds of performance.now(); null while it can continue. */
    lateSince = null;

    connectedCallback() {
        this.#shelf ??= shelfOf(this.dataset.name);
        const place = make("div", { class: "place" }, ...this.#reels.map((reel) => reel.video), this.#still, this.#words);
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", this.dataset.name);
        this.#stillButton.setAttribute("aria-label", say(texts.stillOf, { name: this.dataset.name }));
        this.replaceChildren(place, make("div", { class: "row" }, make("h2", {}, this.dataset.name),
            make("div", { class: "row end-buttons" }, this.#keepButton, this.#stillButton, this.#whole)));
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
    /** The recording at the current time, even before it plays; null if there is none. */
    get held() { return this.#held; }
    /** The time on the screen, in seconds since 1970; null if no frame of the current time is shown. */
    get wall() {
        const [reel] = this.#reels;
        return this.status === "ready" && reel.isPlaced ? wallTime(reel.recording, reel.time) : null;
    }
    /** True if other players may follow the time of this player. */
    get leads() { return this.wall !== null && this.#reels[0].canContinue && !this.#reels[0].hasEnded && !this.video.paused; }

    /**
     * Updates the player for a time; called many times a second.
     * @param {number} at seconds since 1970
     * @param {{isGoing: boolean, speed: number, isLead: boolean}} how
     */
    tick(at, { isGoing, speed, isLead }) {
        const recording = this.#shelf.at(at);
        if (recording?.id !== this.#held?.id || recording?.hasPicture !== this.#held?.hasPicture || recording?.isKept !== this.#held?.isKept) { this.#held = recording ?? null; this.#show(); }
        if (!recording) {
            for (const reel of this.#reels) reel.video.pause();
            this.#sought = null;
            if (!this.#isScrubbing) this.#scrub.stop();
            return this.#become(recording === null ? "gap" : "loading");
        }
        if (!this.#take(recording, at)) {
            const isLost = this.#reels.some((reel) => reel.hasFailed && reel.recording?.id === recording.id);
            // Stills replace media that this browser cannot play.
            if (isLost && !this.#isScrubbing) this.#scrub.wish(this.#shelf, at, 0.25, 960);
            return this.#become(isLost ? "failed" : "loading");
        }
        const [reel, spare] = this.#reels;
        // The data of a growing recording changes with each request.
        if (reel.recording.end !== recording.end) reel.recording = recording;
        if (isGoing) this.#go(reel, at, speed, isLead); else this.#stand(reel, at);
        this.#become(reel.canContinue || (!isGoing && reel.isPlaced) ? "ready" : "loading");
        // The still that was shown during a drag stays until the video is ready.
        if (!this.#isScrubbing && this.status === "ready") this.#scrub.stop();
        if (isGoing && recording.end - at < early * Math.max(1, speed)) this.#prepare(recording, spare);
    }

    /** Brings a recording to the front. @returns {boolean} true if the recording can be shown now */
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
            // Browsers may block audio before a user gesture; muted video still plays.
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
        setText(this.#words, this.status === "gap" ? texts.nothingRecorded
            : this.status === "failed" && this.#held ? refusalOf(this.#held, this.video) : "");
        this.#words.hidden = !["gap", "failed"].includes(this.status);
        const recording = this.#held;
        this.dataset.recording = recording?.id ?? "";
        this.#stillButton.disabled = !recording?.hasPicture;
        this.#keepButton.hidden = !recording || !who.isOperator;
        const word = recording?.isKept ? texts.unkeep : texts.keep;
        setText(this.#keepButton, word);
        this.#keepButton.setAttribute("aria-label", `${word}: ${this.name}`);
        this.#whole.hidden = !recording;
        if (!recording) return;
        this.#whole.href = address(recording, "file");
        this.#whole.download = recording.file;
        this.#whole.setAttribute("aria-label", say(texts.wholeFileOf, { file: recording.file }));
    }

    // MARK: Commands

    /** Shows a still of another time at once; null resumes the video at the current time. */
    scrub(wall, perPixel) {
        this.#isScrubbing = wall !== null;
        this.classList.toggle("scrubbing", this.#isScrubbing);
        if (wall !== null) this.#scrub.wish(this.#shelf, wall, perPixel, 480);
    }

    get isMuted() { return this.video.muted; }
    set isMuted(isMuted) { this.video.muted = isMuted; }

    /** Downloads the exact frame of the current time. */
    takeStill() {
        const recording = this.#held;
        if (!recording?.hasPicture) return;
        const at = fileTime(recording, this.moment ?? recording.begin);
        download(address(recording, `still?at=${at.toFixed(3)}&exact=yes`), `${this.name}-${stamp(wallTime(recording, at))}.jpg`);
    }

    /** Keeps the recording of the current time, or stops keeping it. */
    async setKept(isKept) {
        const recording = this.#held;
        if (!recording || recording.isKept === isKept || !who.isOperator) return;
        const changed = await keep(recording, isKept);
        if (changed) this.#shelf.take(changed);
    }

    /** The time of the next or previous frame. @param {1|-1} direction */
    nextFrame(direction) {
        const reel = this.#reels[0];
        if (!reel.recording || this.wall === null) return null;
        const shown = this.#mediaTime !== null && Math.abs(this.#mediaTime - reel.time) < 0.5 ? this.#mediaTime : reel.time;
        return wallTime(reel.recording, Math.max(0, shown + (direction > 0 ? 1.5 : -0.5) * this.#frame));
    }

    /** Measures the duration of a frame. */
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
customElements.define("recording-player", RecordingPlayer);

const seconds = () => performance.now() / 1000;
