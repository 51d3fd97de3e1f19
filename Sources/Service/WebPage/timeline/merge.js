// Merges the fragments from one keyframe to the next into one fragment (ISO/IEC 14496-12, 8.8). Firefox drops a
// fragment that does not begin, in presentation order, where the previous fragment has ended
// (docs/design/decisions/page.md). Pure.
import { atom, atoms, find, joined, viewOf } from "../parts/atoms.js";

/** Returns true if a sample can be decoded without others: `sample_is_non_sync_sample` (8.8.3.1) is not set. */
const isKey = (flags) => (flags & 0x10000) === 0;

/** The fields of a `trun`, in their order. */
const fields = [[0x100, "duration"], [0x200, "size"], [0x400, "flags"], [0x800, "offset"]];

/** The defaults that a `tfhd` contains. */
const defaultsOf = (view, header) => {
    const flags = view.getUint32(header.body);
    let place = header.body + 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
    const value = (bit) => {
        if (!(flags & bit)) return undefined;
        place += 4;
        return view.getUint32(place - 4);
    };
    return { duration: value(8), size: value(16), flags: value(32) };
};

/** The samples of a fragment of `fragmentsIn`, by track. @param {Map<number, Object>} presets those of `initOf` */
export const samplesOf = (part, presets) => {
    const view = viewOf(part);
    const moof = find(view, 0, part.length, "moof");
    return [...atoms(view, moof.body, moof.end)].filter(({ code }) => code === "traf").map((traf) => {
        const [header, time] = ["tfhd", "tfdt"].map((code) => find(view, traf.body, traf.end, code));
        const track = view.getUint32(header.body + 4);
        const own = defaultsOf(view, header);
        const preset = presets.get(track) ?? {};
        const samples = [];
        for (const run of [...atoms(view, traf.body, traf.end)].filter(({ code }) => code === "trun")) {
            const flags = view.getUint32(run.body) & 0xffffff;
            const count = view.getUint32(run.body + 4);
            // Offsets are relative to the `moof`.
            let data = flags & 1 ? view.getInt32(run.body + 8) : moof.end + 8;
            let place = run.body + 8 + (flags & 1 ? 4 : 0);
            const first = flags & 4 ? view.getUint32(place) : undefined;
            place += flags & 4 ? 4 : 0;
            for (let index = 0; index < count; index += 1) {
                const sample = {
                    duration: own.duration ?? preset.duration ?? 0, size: own.size ?? preset.size ?? 0, flags: own.flags ?? preset.flags ?? 0, offset: 0,
                };
                for (const [bit, name] of fields) {
                    if (!(flags & bit)) continue;
                    sample[name] = name === "offset" ? view.getInt32(place) : view.getUint32(place);
                    place += 4;
                }
                if (index === 0 && first !== undefined) sample.flags = first;
                sample.bytes = part.subarray(data, data + sample.size);
                data += sample.size;
                samples.push(sample);
            }
        }
        const ticks = !time ? 0n : view.getUint8(time.body) === 1 ? view.getBigUint64(time.body + 4) : BigInt(view.getUint32(time.body + 4));
        return { track, time: ticks, samples };
    });
};

const words = (...numbers) => {
    const bytes = new Uint8Array(numbers.length * 4);
    const view = viewOf(bytes);
    numbers.forEach((number, index) => view.setUint32(index * 4, number >>> 0));
    return bytes;
};
const long = (number) => {
    const bytes = new Uint8Array(8);
    viewOf(bytes).setBigUint64(0, number);
    return bytes;
};

/** One `moof` with its `mdat`, from tracks as `samplesOf` returns them. */
const written = (tracks, number) => {
    const movie = (offsets) => atom("moof", [
        atom("mfhd", [words(0, number)]),
        ...tracks.map(({ track, time, samples }, index) => atom("traf", [
            // Offsets are relative to the `moof`.
            atom("tfhd", [words(0x20000, track)]),
            atom("tfdt", [words(0x1000000), long(time)]),
            atom("trun", [words(0x1000f01, samples.length, offsets[index]), words(...samples.flatMap(({ duration, size, flags, offset }) => [duration, size, flags, offset]))]),
        ])),
    ]);
    let place = movie(tracks.map(() => 0)).length + 8;
    const offsets = tracks.map(({ samples }) => {
        const begin = place;
        place += samples.reduce((sum, { size }) => sum + size, 0);
        return begin;
    });
    return joined([movie(offsets), atom("mdat", tracks.flatMap(({ samples }) => samples.map(({ bytes }) => bytes)))]);
};

/** Gathers fragments and returns the media up to a keyframe. */
export class FragmentMerge {
    #init;
    #tracks = new Map();
    #number = 0;

    constructor(init) { this.#init = init; }

    /**
     * @param {Uint8Array} part a fragment of `fragmentsIn`
     * @returns {Uint8Array|null} the complete media: the frames before the newest keyframe, and all audio up to now
     */
    take(part) {
        for (const { track, time, samples } of samplesOf(part, this.#init.presets)) {
            if (!this.#init.presets.has(track) || samples.length === 0) continue;
            const known = this.#tracks.get(track);
            if (known) known.samples.push(...samples); else this.#tracks.set(track, { track, time, samples });
        }
        const video = this.#tracks.get(this.#init.video);
        // Audio alone is never reordered.
        if (this.#init.video === null) return this.rest();
        const key = video?.samples.findLastIndex(({ flags }) => isKey(flags)) ?? -1;
        if (key <= 0) return null;
        const before = video.samples.slice(0, key);
        const later = { ...video, time: video.time + BigInt(before.reduce((sum, { duration }) => sum + duration, 0)), samples: video.samples.slice(key) };
        video.samples = before;
        const whole = this.rest();
        this.#tracks.set(later.track, later);
        return whole;
    }

    /** Returns the gathered media at the end of the stream. @returns {Uint8Array|null} */
    rest() {
        const tracks = [...this.#tracks.values()];
        this.#tracks.clear();
        return tracks.length === 0 ? null : written(tracks, this.#number += 1);
    }
}
