// One recorder's live video: a `<video>` with Media Source Extensions. It keeps up and recovers automatically.
import { say, texts } from "../texts.js";
import { joined } from "../parts/atoms.js";
import { unplayable } from "../parts/codecs.js";
import { make, setText } from "../parts/elements.js";
import { producerTime, timeScales } from "./atoms.js";
import { FailureRest } from "./failure-rest.js";
import { KeepUp } from "./keep-up.js";
import { connection } from "./connection.js";
import { Overlap } from "./overlap.js";
import { Stills } from "./stills.js";
import { streamFor } from "./stream-choice.js";

const now = () => performance.now() / 1000;
/** The seconds of media that stay in the buffer after they were shown. */
const kept = 10;
/** The seconds until a sub-stream that failed is tried again, and until a stream that this browser cannot play is. */
const [smallRest, refusedRest] = [60, 60];

const canPlay = (type) => Boolean(window.MediaSource) && MediaSource.isTypeSupported(type);

export class LivePlayer extends HTMLElement {
    #video = this.#makeVideo(true, 1);
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
    #stills = new Stills();
    #choiceTimer = null;
    #shownAt = -Infinity;
    /** The stream that is shown. `#nextStream` replaces it when the header of that stream arrives; null without one. */
    #stream = "main";
    #nextStream = null;
    #smallUntil = -Infinity;
    /** The time until which no stream is requested, because this browser cannot play it. */
    #refusedUntil = -Infinity;
    #failureRest = new FailureRest();
    #isFirstKey = true;
    #overlap = new Overlap();
    #tile = { width: 0, height: 0 };
    #sizes = new ResizeObserver(([entry]) => {
        this.#tile = { width: entry.contentRect.width, height: entry.contentRect.height };
        this.#chooseStream();
    });
    /** Seconds from the camera to the screen; null while unknown. */
    delay = null;

    /** Makes a video element. Its events have an effect only while it is the current element. */
    #makeVideo(isMuted, volume) {
        const video = make("video", { muted: isMuted, playsinline: true, disableremoteplayback: true });
        video.muted = isMuted;
        video.volume = volume;
        video.addEventListener("waiting", () => { if (this.#video === video && this.#hasBegun) this.#keepUp.stalled(now()); });
        video.addEventListener("error", () => { if (this.#video === video) this.#reset(); });
        video.addEventListener("volumechange", () => { if (this.#video === video) this.#chooseStream(); });
        return video;
    }

    get video() { return this.#video; }
    get name() { return this.getAttribute("name"); }
    /** The streams that the server should send. */
    get streams() { return now() < this.#refusedUntil ? [] : this.#nextStream ? [this.#stream, this.#nextStream] : [this.#stream]; }

    connectedCallback() {
        this.append(this.#video, this.#still, this.#words);
        setText(this.#words, texts.waiting);
        this.#timer = setInterval(() => this.#tend(), 100);
        this.#choiceTimer = setInterval(() => this.#chooseStream(), 1000);
        this.#watchFrames();
        this.#tile = { width: this.clientWidth, height: this.clientHeight };
        this.#sizes.observe(this);
        this.#refusedUntil = -Infinity;
        // The choice is made before the first request, so that a tile never gets the main stream needlessly.
        this.#stream = this.#wantedStream();
        this.#nextStream = null;
        connection.addPlayer(this);
    }

    disconnectedCallback() {
        connection.removePlayer(this);
        clearInterval(this.#timer);
        this.#stills.hide(this.#still);
        clearInterval(this.#choiceTimer);
        this.#sizes.disconnect();
        this.#overlap.end();
        this.#drop();
    }

    // MARK: The choice between two streams

    #wantedStream() {
        const small = now() < this.#smallUntil ? null : connection.recorders.get(this.name)?.status?.substream ?? null;
        return streamFor(small, this.#tile, {
            current: this.#stream, isHeard: !this.#video.muted, isSlow: connection.line.isSlow(now()),
        });
    }

    /** Requests another stream if that fits better. The current stream continues until the other stream begins. */
    #chooseStream() {
        if (!this.isConnected || document.pictureInPictureElement === this.#video) return;
        if (this.#refusedUntil > -Infinity) {
            if (now() < this.#refusedUntil) return;
            // The camera may have another codec now.
            this.#refusedUntil = -Infinity;
            return connection.begAgain(this);
        }
        const wanted = this.#wantedStream();
        if (wanted === (this.#nextStream ?? this.#stream)) return;
        this.#nextStream = wanted === this.#stream ? null : wanted;
        connection.change();
    }

    /** Continues with the next stream in another video element. */
    #takeNextStream() {
        const [former, address] = [this.#video, this.#address];
        [this.#stream, this.#nextStream, this.#address] = [this.#nextStream, null, null];
        this.#video = this.#makeVideo(former.muted, former.volume);
        this.#overlap.begin(former, address, this.#video);
        this.#watchFrames();
        connection.change();
    }

    /** @param {{stream: string, type: string, leftOut: string|null, bytes: Uint8Array}} head */
    takeHead(head) {
        if (head.stream === this.#nextStream) this.#takeNextStream();
        else if (head.stream !== this.#stream) return;
        if (!canPlay(head.type)) return this.#refuse(head);
        if (this.#refusedUntil > -Infinity) {
            // Another codec came before the server ended the stream.
            this.#refusedUntil = -Infinity;
            connection.change();
        }
        this.#drop();
        this.#stills.hide(this.#still);
        setText(this.#words, "");
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

    /**
     * @param {Uint8Array} payload
     * @param {string} stream
     */
    takeMedia(payload, stream) {
        if (!this.#source || stream !== this.#stream) return;
        const produced = producerTime(payload, this.#scales);
        if (produced) {
            // The server had stored the first keyframe for new viewers, so its age says nothing about the line.
            if (stream === "main" && !this.#isFirstKey && connection.serverTime !== null) {
                connection.line.arrived(connection.serverTime - produced.taken, now());
            }
            this.#isFirstKey = false;
            this.#produced.push(produced);
            if (this.#produced.length > 60) this.#produced.shift();
        }
        this.#queue.push(payload.slice());
        // A hidden page neither plays nor appends, and its queue must stay bounded.
        if (this.#queue.length > 3000) return this.#reset();
        this.#append();
    }

    /** Shows that there is no video, and the reason. If the sub-stream is missing, the main stream is shown instead. */
    takeProblem(reason, stream) {
        if (stream === "sub") {
            this.#smallUntil = now() + smallRest;
            return this.#chooseStream();
        }
        if (!this.streams.includes("main")) return;
        [this.#stream, this.#nextStream] = ["main", null];
        connection.change();
        this.#drop();
        setText(this.#words, reason);
        this.#stills.show(this.#still, this.name);
    }

    /** Shows stills instead of a main stream that this browser cannot play, and does not receive it for a while. */
    #refuse({ type, stream }) {
        this.takeProblem(say(texts.cannotPlay, { codec: unplayable(type, canPlay) }), stream);
        if (stream === "main") this.#refusedUntil = now() + refusedRest;
    }

    /** Shows that the connection is lost and that the video on the screen is old. */
    takeSilence() {
        this.classList.add("stale");
        this.delay = null;
        this.#refusedUntil = -Infinity;
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
        // Playback skips a gap where media was lost.
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
        const video = this.#video;
        if (!("requestVideoFrameCallback" in video)) return;
        const look = (_, frame) => {
            if (this.#video !== video) return;
            this.#measure(frame.mediaTime);
            if (this.isConnected) video.requestVideoFrameCallback(look);
        };
        video.requestVideoFrameCallback(look);
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

    /** Shows the lag. @param {HTMLElement} element @param {number} digits the decimal places of the delay */
    tellDelay(element, digits) {
        const isLive = connection.isOpen && this.isMoving;
        setText(element, !connection.isOpen ? texts.reconnecting : !isLive ? "" : this.delay === null ? texts.live
            : say(texts.liveWithDelay, { delay: this.delay.toFixed(digits) }));
        element.classList.toggle("is-live", isLive);
    }

    /** Starts over by requesting the stream again. If that fails again and again, shows stills for a while. */
    #reset() {
        this.#drop();
        const rest = this.#failureRest.failed(now());
        if (rest === 0) return connection.begAgain(this);
        this.#refusedUntil = now() + rest;
        setText(this.#words, texts.cannotDecode);
        this.#stills.show(this.#still, this.name);
        connection.change();
    }

    #drop() {
        this.#source = null;
        this.#buffer = null;
        this.#queue = [];
        this.#produced = [];
        this.#isFirstKey = true;
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
}
customElements.define("live-player", LivePlayer);
