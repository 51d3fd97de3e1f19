// All recordings, the newest first.
import { say, sentences, texts } from "../texts.js";
import { button, make, setText } from "../parts/elements.js";
import { getJSON } from "../parts/api.js";
import { tellOf } from "../parts/messages.js";
import { connection } from "../watch/connection.js";
import "./recording-card.js";

const pageSize = 48;
/** Milliseconds between two requests for new recordings. */
const pause = 10000;

export class RecordingsView extends HTMLElement {
    #grid = make("div", { class: "grid", role: "list" });
    #words = make("p", { class: "empty", role: "status" }, texts.loading);
    #more = button(texts.more, () => this.#loadMore(), { hidden: true });
    #choice = make("select", { onchange: () => this.#begin() });
    #day = make("input", { type: "date", onchange: () => this.#begin() });
    #next = null;
    #asked = new AbortController();
    #timer = null;
    #hear = () => this.#showRecorders();

    connectedCallback() {
        this.replaceChildren(
            make("div", { class: "row" }, make("h1", {}, texts.recordings), make("label", {}, `${texts.day} `, this.#day), make("label", {}, `${texts.recorder} `, this.#choice)),
            this.#words, this.#grid, make("div", { class: "row end" }, this.#more));
        connection.addEventListener("recorder", this.#hear);
        this.#showRecorders();
        this.#begin();
        this.#timer = setInterval(() => { if (!document.hidden) this.#refresh(); }, pause);
    }

    disconnectedCallback() {
        connection.removeEventListener("recorder", this.#hear);
        clearInterval(this.#timer);
        this.#asked.abort();
    }

    #showRecorders() {
        const names = [...connection.recorders.keys()].sort();
        if (this.#choice.options.length === names.length + 1) return;
        const chosen = this.#choice.value;
        this.#choice.replaceChildren(make("option", { value: "" }, texts.allRecorders),
            ...names.map((name) => make("option", { value: name, selected: name === chosen }, name)));
    }

    #ask(after) {
        const query = new URLSearchParams({ limit: pageSize });
        if (this.#choice.value) query.set("recorder", this.#choice.value);
        if (this.#day.value) {
            const [year, month, day] = this.#day.value.split("-").map(Number);
            query.set("from", new Date(year, month - 1, day) / 1000);
            query.set("to", new Date(year, month - 1, day + 1) / 1000);
        }
        if (after) query.set("after", after);
        return getJSON(`/api/recordings?${query}`, this.#asked.signal);
    }

    async #begin() {
        this.#asked.abort();
        this.#asked = new AbortController();
        this.#grid.replaceChildren();
        this.#next = null;
        await this.#refresh();
    }

    /** Loads the first page again and keeps the later pages. */
    async #refresh() {
        try {
            const page = await this.#ask();
            const isFirst = this.#grid.children.length === 0;
            const oldest = page.recordings.at(-1);
            const ids = new Set(page.recordings.map(({ id }) => id));
            for (const card of [...this.#grid.children]) {
                const isOfPage = !page.next || (oldest && card.begin > oldest.begin);
                if (isOfPage && !ids.has(card.dataset.id)) card.remove();
            }
            this.#show(page.recordings);
            if (isFirst) this.#next = page.next;
            this.#tell(page);
        } catch (error) {
            if (error.name !== "AbortError") setText(this.#words, sentences(error.message, error.wayOut));
        }
    }

    async #loadMore() {
        this.#more.disabled = true;
        try {
            const page = await this.#ask(this.#next);
            const last = this.#grid.lastElementChild;
            this.#next = page.next;
            this.#show(page.recordings);
            this.#tell(page);
            // The keyboard focus moves to the first new recording.
            last?.nextElementSibling?.querySelector("button, a")?.focus();
        } catch (error) {
            tellOf(error);
        }
        this.#more.disabled = false;
    }

    #show(recordings) {
        for (const recording of recordings) {
            let card = [...this.#grid.children].find((card) => card.dataset.id === recording.id);
            if (!card) {
                card = make("recording-card", { "data-id": recording.id });
                card.begin = recording.begin;
                const next = [...this.#grid.children].find((other) => other.begin < recording.begin);
                this.#grid.insertBefore(card, next ?? null);
            }
            card.begin = recording.begin;
            card.show(recording);
        }
    }

    #tell({ total, indexing }) {
        const words = indexing ? say(texts.indexing, indexing) : total === 0 ? texts.noRecordings : say(texts.recordingCount, { count: total });
        setText(this.#words, words);
        this.#words.className = total === 0 ? "empty" : "hint";
        this.#more.hidden = !this.#next;
    }
}
customElements.define("recordings-view", RecordingsView);
