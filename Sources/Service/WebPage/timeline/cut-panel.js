// The export of a clip from A to B as one file, with the progress of the export.
import { say, texts } from "../texts.js";
import { button, make, setText } from "../parts/elements.js";
import { bytes } from "../parts/format.js";
import { tell, tellOf } from "../parts/messages.js";
import { cutAddress, cutJobs } from "./cut-jobs.js";
import { exactMoment, length } from "./moments.js";

export class CutPanel extends HTMLElement {
    /** The view's actions. */
    actions = null;
    /** Seconds since 1970; null while not set. */
    a = null;
    b = null;
    /** The recorders whose recordings are exported. */
    #names = [];
    #places = { a: make("span", { class: "number" }), b: make("span", { class: "number" }) };
    #goers = {
        a: button(texts.goTo, () => this.actions.go(this.a), { class: "plain", "data-action": "go-a", "aria-label": texts.goToA, disabled: true }),
        b: button(texts.goTo, () => this.actions.go(this.b), { class: "plain", "data-action": "go-b", "aria-label": texts.goToB, disabled: true }),
    };
    #length = make("span", { class: "number" });
    #cut = button(texts.cut, () => this.cut(), { class: "main", "data-action": "cut", disabled: true });
    #clear = button(texts.clear, () => this.set(null, null), { class: "plain", "data-action": "clear", disabled: true });
    #jobs = make("ul", { class: "jobs" });
    #said = make("p", { class: "hidden-title", role: "status" });
    #hear = () => this.#showJobs();

    connectedCallback() {
        const line = (letter, setText_) => make("div", { class: "row start" },
            button(setText_, () => this.actions.end(letter), { "data-action": `set-${letter}` }), this.#places[letter], this.#goers[letter]);
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", texts.takeAway);
        this.replaceChildren(make("h2", {}, texts.takeAway), make("p", { class: "hint" }, texts.cutHint), line("a", texts.setA), line("b", texts.setB),
            make("div", { class: "row start" }, this.#cut, this.#length, this.#clear), this.#jobs, this.#said);
        cutJobs.addEventListener("change", this.#hear);
        this.#show();
        this.#showJobs();
    }

    disconnectedCallback() { cutJobs.removeEventListener("change", this.#hear); }

    set names(names) {
        this.#names = names;
        setText(this.#cut, names.length > 1 ? texts.cutBoth : texts.cut);
        this.#show();
    }

    /** Sets both ends. `setA` and `setB` clear the other end if it is on the wrong side. */
    set(a, b) {
        [this.a, this.b] = [a, b];
        this.#show();
        this.dispatchEvent(new Event("change"));
    }
    setA(at) { this.set(at, this.b !== null && this.b <= at ? null : this.b); }
    setB(at) { this.set(this.a !== null && this.a >= at ? null : this.a, at); }

    get #canCut() { return this.a !== null && this.b !== null && this.#names.length > 0; }

    /** Exports one file for each chosen recorder. */
    async cut() {
        if (!this.#canCut) return tellOf(new Error(texts.cutNeeds));
        this.#cut.disabled = true;
        for (const [index, recorder] of this.#names.entries()) {
            try {
                await cutJobs.begin({ recorder, from: this.a, to: this.b }, index === 0);
                setText(this.#said, say(texts.cutBegun, { name: recorder }));
            } catch (error) {
                tellOf(error);
            }
        }
        this.#cut.disabled = !this.#canCut;
    }

    #show() {
        for (const letter of ["a", "b"]) {
            setText(this.#places[letter], this[letter] === null ? texts.notSet : exactMoment(this[letter]));
            this.#goers[letter].disabled = this[letter] === null;
        }
        setText(this.#length, this.a !== null && this.b !== null ? say(texts.cutLength, { length: length(this.b - this.a) }) : "");
        this.#cut.disabled = !this.#canCut;
        this.#clear.disabled = this.a === null && this.b === null;
    }

    #showJobs() {
        for (const item of [...this.#jobs.children]) {
            if (!cutJobs.jobs.some((job) => job.id === item.dataset.id)) item.remove();
        }
        cutJobs.jobs.forEach((job, index) => {
            let item = [...this.#jobs.children].find((item) => item.dataset.id === job.id);
            if (!item) {
                item = this.#item(job);
                this.#jobs.insertBefore(item, this.#jobs.children[index] ?? null);
            }
            this.#showJob(item, job);
        });
    }

    #item(job) {
        const name = say(texts.cutOf, { name: job.recorder, length: length(job.to - job.from) });
        return make("li", { "data-id": job.id },
            make("div", { class: "row" }, make("span", {}, name), make("span", { class: "job-state small number" })),
            make("progress", { max: 1, value: 0, "aria-label": name }),
            make("p", { class: "job-words" }),
            make("div", { class: "row start" },
                make("a", { class: "button", href: cutAddress(job), download: job.file, hidden: true, "aria-label": `${texts.download}: ${job.file}` }, texts.download),
                button(texts.cancel, () => cutJobs.drop(job.id).catch(tellOf), { class: "plain", "data-action": "drop", "aria-label": `${texts.cancel}: ${name}` })));
    }

    #showJob(item, job) {
        const [state, progress, words, link, drop] = [".job-state", "progress", ".job-words", "a", "[data-action=drop]"].map((one) => item.querySelector(one));
        // The result is announced once; screen readers read the progress from the bar on request.
        if (item.dataset.state && item.dataset.state !== job.state) {
            setText(this.#said, "");
            if (job.state === "done") tell(say(cutJobs.isStored(job.id) ? texts.cutDone : texts.cutReady, { file: job.file }));
            if (job.state === "failed") tellOf(new Error(say(texts.cutFailed, { name: job.recorder, problem: job.problem })));
        }
        item.dataset.state = job.state;
        const isOver = ["done", "failed"].includes(job.state);
        const share = Math.floor(job.progress * 100);
        setText(state, job.state === "working" ? say(texts.cutState.working, { share }) : job.state === "done" ? say(texts.cutState.done, { bytes: bytes(job.bytes ?? NaN), length: length(job.duration) }) : texts.cutState[job.state]);
        progress.hidden = isOver;
        if (job.state === "waiting") progress.removeAttribute("value"); else progress.value = job.progress;
        words.className = `job-words ${job.state === "failed" ? "losses" : "hint"}`;
        setText(words, job.problem ?? (job.leftOut.length ? say(texts.cutLeftOut, { list: job.leftOut.join(", ") }) : ""));
        words.hidden = words.textContent === "";
        link.hidden = job.state !== "done";
        if (isOver && drop.textContent !== texts.remove) {
            setText(drop, texts.remove);
            drop.setAttribute("aria-label", `${texts.remove}: ${item.querySelector(".row span").textContent}`);
        }
    }
}
customElements.define("cut-panel", CutPanel);
