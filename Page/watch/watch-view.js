// All recorders on one page.
import { texts } from "../texts.js";
import { make } from "../parts/elements.js";
import { connection } from "./connection.js";
import "./recorder-card.js";

export class WatchView extends HTMLElement {
    #grid = make("div", { class: "grid", role: "list" });
    #empty = make("p", { class: "empty" }, texts.loading);
    #hear = () => this.#show();

    connectedCallback() {
        this.replaceChildren(make("h1", { class: "hidden-title" }, texts.watch), this.#empty, this.#grid);
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
            let card = [...this.#grid.children].find((card) => card.dataset.name === recorder.name);
            if (!card) {
                card = make("recorder-card", { "data-name": recorder.name });
                const next = [...this.#grid.children].find((other) => other.dataset.name > recorder.name);
                this.#grid.insertBefore(card, next ?? null);
            }
            card.show(recorder);
        }
    }
}
customElements.define("watch-view", WatchView);
