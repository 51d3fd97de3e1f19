// One recorder's live video: a `<video>` with Media Source Extensions, which keeps up and recovers by itself.
import { say, texts } from "../texts.js";
import { joined } from "../parts/atoms.js";
import { make, setText } from "../parts/elements.js";
import { producerTime, timeScales } from "./atoms.js";
import { KeepUp } from "./keep-up.js";
import { connection } from "./connection.js";

const now = () => performance.now() / 1000;
/** The seconds of shown media that are kept. */
const kept = 10;

export class LivePlayer extends HTMLElement {
    #video = make("video", { muted: true, playsinline: true, disableremoteplayback: true });
    #words = make("p", { class: "video-words" });
    #still = make("img", { class: "still", alt: "", hidden: true });
    #source = null;
    #buffer = null;
    #queue = [];
    #address = null;
    #scales = new Map();
    #produced = [];
    #keepUp = new KeepUp();
    #hasBegun = false;
    #timer = null;
    #stillTimer = null;
    #shownAt = 0;
    /** Seconds from the camera to the screen; null while unknown. */
    delay = null;

    constructor() {
        super();
        this.#video.muted = true;
        this.#video.addEventListener("waiting", () => { if (this.#hasBegun) this.#keepUp.stalled(now()); });
        this.#video.addEventListener("error", () => this.#reset());
    }

    get video() { return this.#video; }
    get name() { return this.getAttribute("name"); }

    connectedCallback() {
        this.append(this.#video, this.#still, this.#words);
        setText(this.#words, texts.waiting);
        this.#timer = setInterval(() => this.#tend(), 100);
        this.#watchFrames();
        connection.addPlayer(this);
    }

    disconnectedCallback() {
        connection.removePlayer(this);
        clearInterval(this.#timer);
        clearInterval(this.#stillTimer);
        this.#drop();
    }

    /** @param {{type: string, leftOut: string|null, bytes: Uint8Array}} head */
    takeHead(head) {
        this.#drop();
        this.#showStills(false);
        setText(this.#words, "");
        if (!window.MediaSource || !MediaSource.isTypeSupported(head.type)) {
            return this.takeProblem(say(texts.cannotPlay, { type: head.type }));
        }
        this.#scales = timeScales(head.bytes);
        const source = new MediaSource();
        this.#source = source;
        this.#queue = [head.bytes.slice()];
        this.#address = URL.createObjectURL(source);
        source.addEventListener("sourceopen", () => {
            if (this.#source !== source) return;
            this.#buffer = source.addSourceBuffer(head.type);
            this.#buffer.addEventListener("updateend", () => this.#append());
            this.#buffer.addEventListener("error", () => this.#reset());
            this.#append();
        });
        this.#video.src = this.#address;
        this.dataset.leftOut = head.leftOut ?? "";
    }

    /** @param {Uint8Array} payload */
    takeMedia(payload) {
        if (!this.#source) return;
        const produced = producerTime(payload, this.#scales);
        if (produced) {
            this.#produced.push(produced);
            if (this.#produced.length > 60) this.#produced.shift();
        }
        this.#queue.push(payload.slice());
        // A hidden page neither plays nor appends, and its queue must stay bounded.
        if (this.#queue.length > 3000) return this.#reset();
        this.#append();
    }

    /** Shows that there is no video, and the reason. */
    takeProblem(reason) {
        this.#drop();
        setText(this.#words, reason);
        this.#showStills(true);
    }

    /** Reports a lost connection: the video on the screen is old. */
    takeSilence() {
        this.classList.add("stale");
        this.delay = null;
        setText(this.#words, texts.reconnecting);
    }

    takeConnection() { this.classList.remove("stale"); }

    #append() {
        const buffer = this.#buffer;
        if (!buffer || buffer.updating || this.#source?.readyState !== "open") return;
        try {
            if (this.#queue.length > 0) {
                const bytes = joined(this.#queue);
                this.#queue = [];
                return buffer.appendBuffer(bytes);
            }
            const ranges = buffer.buffered;
            if (ranges.length === 0) return;
            const old = this.#video.currentTime - kept;
            if (this.#hasBegun && ranges.start(0) < old - kept) buffer.remove(0, old);
        } catch (error) {
            if (error.name === "QuotaExceededError") return this.#makeRoom();
            this.#reset();
        }
        this.#tend();
    }

    #makeRoom() {
        const before = this.#video.currentTime - 1;
        if (before > 0 && !this.#buffer.updating) this.#buffer.remove(0, before); else this.#reset();
    }

    /** Keeps playback a little behind the newest media. */
    #tend() {
        const [video, ranges] = [this.#video, this.#video.buffered];
        if (ranges.length === 0 || this.#source === null) return;
        const last = ranges.length - 1;
        const end = ranges.end(last);
        if (!this.#hasBegun) {
            this.#hasBegun = true;
            video.currentTime = Math.max(ranges.start(last), end - this.#keepUp.beginning(now()));
            return this.#play();
        }
        if (video.paused && !document.hidden) this.#play();
        // Playback skips lost media.
        if (video.currentTime < ranges.start(last) - 0.05) {
            video.currentTime = ranges.start(last);
            return;
        }
        const { rate, skip } = this.#keepUp.rule(end - video.currentTime, now());
        if (skip > 0) video.currentTime += skip;
        if (video.playbackRate !== rate) video.playbackRate = rate;
        if (!("requestVideoFrameCallback" in video)) this.#measure(video.currentTime);
    }

    #play() {
        // Browsers may block audio before a user gesture; muted video still plays.
        this.#video.play().catch(() => {
            this.#video.muted = true;
            this.#video.play().catch(() => {});
        });
    }

    #watchFrames() {
        if (!("requestVideoFrameCallback" in this.#video)) return;
        const look = (_, frame) => {
            this.#measure(frame.mediaTime);
            if (this.isConnected) this.#video.requestVideoFrameCallback(look);
        };
        this.#video.requestVideoFrameCallback(look);
    }

    #measure(time) {
        const known = this.#produced.findLast((one) => one.at <= time + 0.001);
        this.#shownAt = now();
        const server = connection.serverTime;
        this.delay = known && server !== null ? Math.max(0, server - (known.taken + time - known.at)) : null;
        this.dataset.delay = this.delay === null ? "" : this.delay.toFixed(3);
    }

    /** True if frames have been shown recently. */
    get isMoving() { return now() - this.#shownAt < 2; }

    /** Shows the lag. @param {HTMLElement} element @param {number} digits of the delay */
    tellDelay(element, digits) {
        const isLive = connection.isOpen && this.isMoving;
        setText(element, !connection.isOpen ? texts.reconnecting : !isLive ? "" : this.delay === null ? texts.live
            : say(texts.liveWithDelay, { delay: this.delay.toFixed(digits) }));
        element.classList.toggle("is-live", isLive);
    }

    /** Starts over by requesting the stream again. */
    #reset() {
        this.#drop();
        connection.begAgain(this);
    }

    #drop() {
        this.#source = null;
        this.#buffer = null;
        this.#queue = [];
        this.#produced = [];
        this.#hasBegun = false;
        this.#keepUp = new KeepUp();
        this.delay = null;
        if (this.#address) URL.revokeObjectURL(this.#address);
        this.#address = null;
        if (this.#video.hasAttribute("src")) {
            this.#video.removeAttribute("src");
            this.#video.load();
        }
    }

    /** Shows stills instead of live video. */
    #showStills(isShown) {
        clearInterval(this.#stillTimer);
        this.#still.hidden = !isShown;
        if (!isShown) return;
        const look = () => {
            const canShow = connection.recorders.get(this.name)?.allowed.includes("snapshot");
            if (document.hidden || !canShow) { this.#still.hidden = true; return; }
            const next = new Image();
            next.onload = () => { this.#still.src = next.src; this.#still.hidden = false; };
            next.src = `/api/recorders/${encodeURIComponent(this.name)}/snapshot`;
        };
        look();
        this.#stillTimer = setInterval(look, 2000);
    }
}
customElements.define("live-player", LivePlayer);
