// Starts exports of clips, polls their status, and downloads the clips, while the page is open. No DOM.
import { download, getJSON, post, remove } from "../parts/api.js";

/** Milliseconds between two status requests. */
const pause = 500;
/** The number of consecutive failures that are tolerated. */
const patience = 20;

class CutJobs extends EventTarget {
    /** The jobs as in `/api/cuts/ID`, the newest first. */
    jobs = [];

    /** The jobs whose files the browser downloads automatically. */
    #stored = new Set();

    /**
     * @param {{recorder: string, from: number, to: number}} range
     * @param {boolean} isStored true to download the clip automatically; browsers allow one such download per click
     * @throws {Refusal}
     */
    async begin(range, isStored) {
        const job = await post("/api/cuts", range);
        this.jobs.unshift(job);
        if (isStored) this.#stored.add(job.id);
        this.#tell();
        this.#follow(job.id);
    }

    isStored(id) { return this.#stored.has(id); }

    /** Cancels a job, or removes a finished job from the list. */
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
                // The user may have cancelled the job in the meantime.
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
