// All recorders on one page.
import { say, texts } from "../texts.js";
import { make, setText } from "../parts/elements.js";
import { connection } from "./connection.js";
import "./recorder-card.js";

export class WatchView extends HTMLElement {
    #grid = make("div", { class: "grid", role: "list" });
    #stopped = make("div", { class: "grid", role: "list" });
    #count = make("summary");
    #folded = make("details", { class: "stopped", hidden: true }, this.#count, this.#stopped);
    #empty = make("p", { class: "empty" }, texts.loading);
    #hear = () => this.#show();

    connectedCallback() {
        this.replaceChildren(make("h1", { class: "hidden-title" }, texts.watch), this.#empty, this.#grid, this.#folded);
        connection.addEventListener("recorder", this.#hear);
        connection.addEventListener("connection", this.#hear);
        this.#timer = setTimeout(() => { this.#isPatient = false; this.#show(); }, 3000);
        this.#show();
    }

    #timer = null;
    #isPatient = true;

    disconnectedCallback() {
        clearTimeout(this.#timer);
        connection.removeEventListener("recorder", this.#hear);
        connection.removeEventListener("connection", this.#hear);
    }

    #show() {
        const recorders = [...connection.recorders.values()].sort((a, b) => a.name.localeCompare(b.name));
        this.#empty.hidden = recorders.length > 0;
        this.#empty.textContent = !connection.isOpen ? texts.reconnecting : this.#isPatient ? texts.loading : texts.noRecorders;
        for (const recorder of recorders) {
            const grid = recorder.state === "notRunning" ? this.#stopped : this.#grid;
            let card = [...this.querySelectorAll("recorder-card")].find((card) => card.dataset.name === recorder.name);
            if (card?.parentNode !== grid) {
                card ??= make("recorder-card", { "data-name": recorder.name });
                const next = [...grid.children].find((other) => other.dataset.name > recorder.name);
                grid.insertBefore(card, next ?? null);
            }
            card.show(recorder);
        }
        const count = this.#stopped.children.length;
        this.#folded.hidden = count === 0;
        setText(this.#count, say(texts.stopped, { count }));
    }
}
customElements.define("watch-view", WatchView);
