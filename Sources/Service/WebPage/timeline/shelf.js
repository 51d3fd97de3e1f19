// The recordings of one recorder in the time ranges that were visited. Requests unknown recordings from the server.
import { getJSON } from "../parts/api.js";
import { connection } from "../watch/connection.js";
import { following, holding, seam } from "./recording-clock.js";

/** The seconds to load before and after a time. */
const [before, after] = [120, 600];
/** The seconds since the last write within which a recording counts as growing. */
const lately = 15;

/** Seconds since 1970 by the server's clock, or by the browser's clock while the server's is unknown. */
export const serverNow = () => connection.serverTime ?? Date.now() / 1000;

export class Shelf extends EventTarget {
    #name;
    #recordings = new Map();
    /** Time ranges that are fully known, `[from, to]`. */
    #known = [];
    #loading = new Map();
    #isRefreshing = false;

    constructor(name) {
        super();
        this.#name = name;
    }

    get name() { return this.#name; }

    /** All known recordings. A growing recording extends to the current time. */
    get recordings() {
        const now = serverNow();
        return [...this.#recordings.values()].map((one) => (isAlive(one, now) ? { ...one, end: Math.max(one.end, now) } : one));
    }

    /** The recording at a time; null if nothing was recorded then; undefined if unknown, and then it is requested. */
    at(wall) {
        const found = holding(this.recordings, wall);
        if (found) return found;
        const next = following(this.recordings, wall);
        // The gap is too short to be visible.
        if (next && next.begin - wall < seam && holding(this.recordings, wall - seam)) return next;
        if (wall > serverNow() + 1 || this.#isKnown(wall)) return null;
        this.load(wall);
        return undefined;
    }

    /** The next recording after a time; null if there is none; undefined if unknown, and then it is requested. */
    next(wall) {
        const next = following(this.recordings, wall);
        if (wall > serverNow()) return next;
        const known = this.#known.find(([from, to]) => from <= wall && wall <= to);
        if (known && (next ? next.begin <= known[1] : known[1] > serverNow() - lately)) return next;
        this.load(known ? known[1] : wall, true);
        return undefined;
    }

    #isKnown(wall) { return this.#known.some(([from, to]) => from <= wall && wall <= to); }

    /**
     * Loads the recordings around a time, one request at a time.
     * @param {boolean} isFar true to also search for the next recording, at any distance
     */
    load(wall, isFar = false) {
        const key = `${Math.floor(wall / 60)} ${isFar}`;
        if (!this.#loading.has(key)) {
            this.#loading.set(key, this.#load(wall, isFar).catch(() => pause(2000)).finally(() => this.#loading.delete(key)));
        }
        return this.#loading.get(key);
    }

    async #load(wall, isFar) {
        const [from, to] = [Math.max(0, wall - before), wall + after];
        const found = await this.#list(from, to);
        // The range is known only up to the current time.
        this.#learn([from, Math.max(from, Math.min(to, serverNow()))]);
        if (isFar && !found.some(({ begin }) => begin > wall)) {
            const now = serverNow();
            const begin = to < now ? await this.#beginAfter(to, now) : null;
            // There is no recording up to that time.
            if (to < now) this.#learn([to, begin ?? now]);
            if (begin !== null) await this.#load(begin, false);
        }
        this.dispatchEvent(new Event("change"));
    }

    async #list(from, to) {
        const all = [];
        let next = null;
        do {
            const query = new URLSearchParams({ recorder: this.#name, from, to, limit: 200 });
            if (next) query.set("after", next);
            const page = await getJSON(`/api/recordings?${query}`);
            all.push(...page.recordings);
            next = page.next;
        } while (next && all.length < 2000);
        for (const one of all) this.#recordings.set(one.id, one);
        return all;
    }

    /** The start of the next recording after a time, at any distance. It comes from the timeline. */
    async #beginAfter(from, to) {
        const query = new URLSearchParams({ from, to: to + 1, recorder: this.#name });
        const line = await getJSON(`/api/timeline?${query}`);
        return line.recorders.find(({ name }) => name === this.#name)?.spans[0]?.begin ?? null;
    }

    /** Stores a recording that has changed. */
    take(recording) {
        this.#recordings.set(recording.id, recording);
        this.dispatchEvent(new Event("change"));
    }

    #learn([from, to]) {
        const joined = this.#known.filter((one) => one[0] <= to && one[1] >= from);
        const others = this.#known.filter((one) => one[0] > to || one[1] < from);
        this.#known = [...others, [Math.min(from, ...joined.map((one) => one[0])), Math.max(to, ...joined.map((one) => one[1]))]];
    }

    /**
     * Requests the growing recordings again, because they grow, end and begin.
     * @param {Object|null} held a recording that is shown; another user may have kept it
     */
    async refresh(held = null) {
        if (this.#isRefreshing) return;
        this.#isRefreshing = true;
        try {
            const now = serverNow();
            const found = new Set((await this.#list(now - 2 * lately, now + 3600)).map(({ id }) => id));
            this.#learn([now - 2 * lately, now]);
            // A recording that has ended may have become another entry.
            for (const one of this.#recordings.values()) if ((one.isGrowing || one.id === held?.id) && !found.has(one.id)) await this.#lookAt(one.id);
            this.dispatchEvent(new Event("change"));
        } catch { /* The next refresh tries again. */ }
        this.#isRefreshing = false;
    }

    async #lookAt(id) {
        try {
            this.#recordings.set(id, await getJSON(`/api/recordings/${encodeURIComponent(id)}`));
        } catch (error) {
            if (error.status === 404 || error.status === 409) this.#recordings.delete(id);
        }
    }

    /** Loads the recordings before a time. @returns {Promise<Object[]>} the recordings around that time */
    async earlier(wall) {
        const query = new URLSearchParams({ recorder: this.#name, to: wall, limit: 3 });
        const page = await getJSON(`/api/recordings?${query}`);
        for (const one of page.recordings) this.#recordings.set(one.id, one);
        return page.recordings;
    }
}

const isAlive = (recording, now) => recording.isGrowing && now - recording.end < lately;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const shelves = new Map();
/** The shelf of a recorder. All parts of the page share it. */
export const shelfOf = (name) => {
    if (!shelves.has(name)) shelves.set(name, new Shelf(name));
    return shelves.get(name);
};
