// One `<video>` with one recording.
import { make } from "../parts/elements.js";
import { address } from "../recordings/facts.js";
import { GrowingFile } from "./growing-file.js";

export class Reel {
    video = make("video", { playsinline: true, preload: "auto", disableremoteplayback: true, tabindex: -1, "aria-hidden": "true" });
    recording = null;
    /** True if this browser cannot play the recording. */
    hasFailed = false;
    #growing = null;
    #place = 0;
    #isStarved = false;

    constructor() {
        this.video.muted = true;
        this.video.addEventListener("error", () => { if (this.recording && this.video.getAttribute("src")) this.hasFailed = true; });
        this.video.addEventListener("loadedmetadata", () => {
            // A browser that does not know the codec of the video may play the audio alone.
            if (this.recording?.hasPicture && this.video.videoWidth === 0) this.hasFailed = true; else this.#seek();
        });
    }

    /** @param {Object} recording of `/api/recordings` @param {number} at seconds of the file */
    load(recording, at) {
        this.drop();
        this.recording = recording;
        this.#place = at;
        if (!recording.isGrowing) return this.#loadFile();
        const growing = new GrowingFile(this.video, recording, at);
        this.#growing = growing;
        // If a movie cannot be streamed, the browser may play it as a file, up to the file's current size.
        growing.begin().catch(() => { if (this.#growing === growing) { this.#growing.end(); this.#growing = null; this.#loadFile(); } });
    }

    /** The size that a growing file had when it was opened, if it is played as a file; null for all other files. */
    partOf = null;

    /** Loads the file. The part of the address after # makes browsers read the size of a known file again. */
    #loadFile() {
        this.partOf = this.recording.isGrowing ? this.recording.bytes : null;
        this.video.src = address(this.recording, "file?inline=yes") + (this.partOf === null ? "" : `#bytes=${this.partOf}`);
        this.video.load();
    }

    drop() {
        this.#growing?.end();
        this.#growing = null;
        this.recording = null;
        this.hasFailed = false;
        this.partOf = null;
        this.#isStarved = false;
        this.video.pause();
        if (this.video.hasAttribute("src")) {
            this.video.removeAttribute("src");
            this.video.load();
        }
    }

    /** @param {number} at seconds of the file */
    seek(at) {
        this.#place = at;
        if (this.video.readyState > 0) this.#seek();
    }

    #seek() {
        this.video.currentTime = this.#place;
        this.#growing?.goTo(this.#place);
    }

    /** The position in the file, in seconds; while loading, the requested position. */
    get time() { return this.video.readyState > 0 ? this.video.currentTime : this.#place; }
    /** True if a frame of the requested position is available. */
    get isPlaced() { return this.recording !== null && this.video.readyState >= 2 && !this.video.seeking; }
    get hasEnded() { return this.video.ended && !this.#growing?.isGrowing; }

    /** True if playback can continue. At the end of a growing recording, false until enough media is available. */
    get canContinue() {
        if (!this.isPlaced) return false;
        if (this.hasEnded) return true;
        if (this.video.readyState < 3) this.#isStarved = true;
        const enough = this.#growing?.isGrowing ? 1.5 : 0.2;
        if (this.#isStarved && (this.#ahead >= enough || this.video.readyState === 4 && !this.#growing)) this.#isStarved = false;
        return !this.#isStarved;
    }

    get #ahead() {
        const [ranges, now] = [this.video.buffered, this.video.currentTime];
        for (let index = 0; index < ranges.length; index += 1) {
            if (ranges.start(index) <= now + 0.1 && ranges.end(index) > now) return ranges.end(index) - now;
        }
        return 0;
    }
}
