// Plays a movie that is still being recorded: appends its fragments to Media Source Extensions as they are written
// (docs/design/decisions/page.md).
import { address } from "../recordings/facts.js";
import { fragmentsIn, fragmentTime, initOf, searchFragment } from "./fragments.js";
import { FragmentMerge } from "./merge.js";

/** The maximum number of bytes per request. */
const piece = 1 << 19;
/**
 * The seconds of media to buffer ahead; the seconds to keep after they are shown; and the seconds by which a fragment
 * must precede a position at first. They must exceed the keyframe interval, because browsers drop the frames before the
 * first keyframe. So they are doubled as long as no keyframe precedes the position (`approach`).
 */
const [wanted, kept, usualLead] = [20, 20, 5];
/** Milliseconds until the file is read again after its end. */
const pause = 700;

/**
 * What to do when media was appended for a position: `wait` if it may contain the position, `jump` to its first frame,
 * or search `earlier`. Pure.
 * @param {number} place the position in seconds
 * @param {number} first the beginning of the buffered media in seconds
 * @param {boolean} isFromStart true if the file was read from its beginning
 */
export const approach = (place, first, isFromStart) => {
    if (place >= first) return "wait";
    // Video may begin a little after the requested position.
    return isFromStart || first - place < 1 ? "jump" : "earlier";
};

export class GrowingFile {
    isGrowing = true;
    #video;
    #recording;
    #source = new MediaSource();
    #buffer = null;
    #address;
    #init = null;
    #place;
    #offset = null;
    #rest = new Uint8Array(0);
    #merge = null;
    #lead = usualLead;
    /** True if the current run has read the file from its beginning. */
    #isFromStart = false;
    /** The number of the current run; tasks of older runs end. */
    #turn = 0;
    #abort = new AbortController();

    constructor(video, recording, at) {
        [this.#video, this.#recording, this.#place] = [video, recording, at];
    }

    /** @throws if the browser cannot play the movie with Media Source Extensions */
    async begin() {
        const { bytes } = await this.#read(0, piece - 1);
        this.#init = initOf(bytes);
        if (!window.MediaSource || !this.#init || !MediaSource.isTypeSupported(this.#init.type)) throw new Error("no stream");
        if (this.#abort.signal.aborted) return;
        this.#address = URL.createObjectURL(this.#source);
        this.#video.src = this.#address;
        await new Promise((resolve) => this.#source.addEventListener("sourceopen", resolve, { once: true }));
        this.#buffer = this.#source.addSourceBuffer(this.#init.type);
        await this.#append(this.#init.bytes);
        // The final duration is unknown. A long duration allows seeking to any position, even without buffered media.
        if (this.#source.readyState === "open") this.#source.duration = 1e7;
        if (this.#video.readyState > 0) this.#video.currentTime = this.#place;
        this.#run(++this.#turn);
    }

    /** Seeks. Buffered media is kept if it contains the position. @param {number} at seconds */
    goTo(at) {
        if (!this.#buffer || Math.abs(at - this.#place) < 0.001) return;
        this.#place = at;
        const ranges = this.#video.buffered;
        const last = ranges.length - 1;
        if (last >= 0 && at >= ranges.start(last) && at < ranges.end(last) + 1) return;
        this.#run(++this.#turn);
    }

    end() {
        this.#turn += 1;
        this.#abort.abort();
        if (this.#address) URL.revokeObjectURL(this.#address);
    }

    // MARK: Reading

    /** @returns {Promise<{bytes: Uint8Array, size: number}>} the available bytes, and the file's current size */
    async #read(from, to) {
        const answer = await fetch(address(this.#recording, "file?inline=yes"), {
            headers: { Range: `bytes=${from}-${to}` }, signal: this.#abort.signal, credentials: "same-origin", cache: "no-store",
        });
        const size = Number(answer.headers.get("Content-Range")?.split("/")[1] ?? 0);
        if (answer.status !== 206) throw new Error(`HTTP ${answer.status}`);
        return { bytes: new Uint8Array(await answer.arrayBuffer()), size };
    }

    async #run(turn) {
        let failures = 0;
        try {
            while (this.#buffer.updating) await this.#updated();
            // Media that is buffered at another position would be mistaken for media ahead.
            if (this.#video.buffered.length > 0) await this.#change(() => this.#buffer.remove(0, Infinity));
            this.#rest = new Uint8Array(0);
            this.#merge = new FragmentMerge(this.#init);
            const offset = await this.#find(this.#place);
            if (turn !== this.#turn) return;
            this.#offset = offset;
        } catch { /* Playback starts at the beginning. */ this.#offset ??= this.#init.end; }
        this.#isFromStart = this.#offset === this.#init.end;
        while (turn === this.#turn) {
            if (this.#ahead > wanted) { await sleep(250); continue; }
            try {
                const hasMore = await this.#feed(turn);
                failures = 0;
                if (!hasMore) { if (!this.isGrowing) return; await sleep(pause); }
            } catch (error) {
                // The file may be getting its final name at this moment.
                if (error.name === "AbortError" || ++failures > 20) return;
                await sleep(pause);
            }
        }
    }

    get #ahead() {
        const ranges = this.#video.buffered;
        return ranges.length === 0 ? 0 : ranges.end(ranges.length - 1) - this.#video.currentTime;
    }

    /** Reads a piece and appends complete fragments. @returns {Promise<boolean>} true if there was data */
    async #feed(turn) {
        // The range begins one byte earlier, with a byte that certainly exists. Otherwise, an unsatisfiable range would
        // cause an error in the browser's log.
        const bytes = (await this.#read(this.#offset - 1, this.#offset + piece - 1)).bytes.subarray(1);
        if (turn !== this.#turn || bytes.length === 0) return false;
        this.#offset += bytes.length;
        const all = new Uint8Array(this.#rest.length + bytes.length);
        all.set(this.#rest);
        all.set(bytes, this.#rest.length);
        const { parts, used, isOver } = fragmentsIn(all);
        this.#rest = all.slice(used);
        for (const part of parts) {
            const whole = this.#merge.take(part);
            if (whole) await this.#append(whole);
            if (turn !== this.#turn) return false;
        }
        // Only a finalized movie has another header after its fragments.
        if (isOver) await this.#finish();
        return bytes.length === piece || parts.length > 0;
    }

    async #finish() {
        this.isGrowing = false;
        const rest = this.#merge.rest();
        if (rest) await this.#append(rest);
        if (this.#source.readyState === "open") this.#source.endOfStream();
    }

    /** The offset of a fragment shortly before a time. Reads parts of the file, and searches them for fragments. */
    async #find(at) {
        let low = { offset: this.#init.end, time: 0 };
        if (at < this.#lead * 2) return low.offset;
        const { size } = await this.#read(0, 0);
        let high = { offset: size, time: Math.max(at, this.#recording.end - this.#recording.begin) };
        for (let tries = 0; tries < 12 && at - low.time > this.#lead * 2; tries += 1) {
            const share = Math.min(0.95, Math.max(0.05, (at - this.#lead * 1.5 - low.time) / (high.time - low.time)));
            const guess = Math.floor(low.offset + (high.offset - low.offset) * share);
            const { bytes } = await this.#read(guess, guess + 2 * piece - 1);
            const start = searchFragment(bytes);
            const time = start === null ? null : fragmentTime(bytes.subarray(start), this.#init);
            if (time === null || time > at - this.#lead) {
                if (guess - low.offset < piece) break;
                high = { offset: guess, time: time ?? high.time };
            } else {
                low = { offset: guess + start, time };
            }
        }
        return low.offset;
    }

    // MARK: The buffer

    #updated() { return new Promise((resolve) => this.#buffer.addEventListener("updateend", resolve, { once: true })); }

    async #change(body) {
        body();
        if (this.#buffer.updating) await this.#updated();
    }

    async #append(bytes) {
        if (this.#source.readyState === "closed") throw new DOMException("closed", "AbortError");
        const old = this.#video.currentTime - kept;
        const ranges = this.#video.buffered;
        if (ranges.length > 0 && ranges.start(0) < old - 5) await this.#change(() => this.#buffer.remove(0, old));
        await this.#change(() => this.#buffer.appendBuffer(bytes));
        const buffered = this.#video.buffered;
        if (buffered.length === 0 || !this.#video.seeking) return;
        const step = approach(this.#place, buffered.start(0), this.#isFromStart);
        if (step === "jump") this.#video.currentTime = buffered.start(0);
        if (step !== "earlier") return;
        this.#lead *= 2;
        this.#run(++this.#turn);
    }
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
