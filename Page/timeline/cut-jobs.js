// Cuts that are being made, for as long as the page is open: begun, looked after, and stored when they are done. No DOM.
import { download, getJSON, post, remove } from "../parts/api.js";

/** Milliseconds between two looks. */
const pause = 500;
/** So often in a row the server may be away. */
const patience = 20;

class CutJobs extends EventTarget {
    /** The newest first, as `/api/cuts/ID` tells. */
    jobs = [];

    /** Those that the browser stores by itself when they are done. */
    #stored = new Set();

    /**
     * @param {{recorder: string, from: number, to: number}} stretch
     * @param {boolean} isStored browsers block a second download that no press began
     * @throws {Refusal}
     */
    async begin(stretch, isStored) {
        const job = await post("/api/cuts", stretch);
        this.jobs.unshift(job);
        if (isStored) this.#stored.add(job.id);
        this.#tell();
        this.#follow(job.id);
    }

    isStored(id) { return this.#stored.has(id); }

    /** Gives one up, or forgets one that is done. */
    async drop(id) {
        this.jobs = this.jobs.filter((job) => job.id !== id);
        this.#tell();
        try { await remove(`/api/cuts/${id}`); } catch (error) { if (error.status !== 404) throw error; }
    }

    async #follow(id) {
        let failures = 0;
        while (true) {
            await new Promise((resolve) => setTimeout(resolve, pause));
            const index = this.jobs.findIndex((job) => job.id === id);
            if (index < 0) return;
            try {
                const job = await getJSON(`/api/cuts/${id}`);
                failures = 0;
                // Somebody may have given it up meanwhile.
                if (this.jobs[index]?.id !== id) continue;
                this.jobs[index] = job;
            } catch (error) {
                failures += 1;
                if (error.status !== 404 && error.status !== 401 && failures < patience) continue;
                if (this.jobs[index]?.id === id) this.jobs[index] = { ...this.jobs[index], state: "failed", problem: error.message };
            }
            this.#tell();
            const job = this.jobs[index];
            if (job?.state === "done" && this.isStored(id)) download(cutAddress(job), job.file);
            if (["done", "failed"].includes(job?.state)) return;
        }
    }

    #tell() { this.dispatchEvent(new Event("change")); }
}

export const cutAddress = (job) => `/api/cuts/${encodeURIComponent(job.id)}/file`;
export const cutJobs = new CutJobs();
