// The page's single connection for all media, levels and states. It reconnects automatically.
import { Refusal, post, session } from "../parts/api.js";
import { Kind, MessageParser, head, json } from "./messages.js";
import { gone } from "./recorder-facts.js";
import { LineMeter } from "./stream-choice.js";
import { StreamRequests } from "./stream-requests.js";

/** The milliseconds without data after which the connection counts as dead. The server sends a message every 2 s. */
const silence = 6000;
const pauses = [250, 500, 1000, 2000, 5000];
/**
 * The milliseconds after which a hidden page closes its connection. With HTTP/1.1, a browser opens at most six
 * connections per server, for all tabs together.
 */
const patience = 2000;
/** The milliseconds until a request for streams that failed is sent again. */
const retryPause = 1000;
/** The milliseconds after which a new connection has named all recorders. A recorder that hangs is named after 3 s. */
const complete = 8000;

class Connection extends EventTarget {
    /** The server's information about each recorder, by name. */
    recorders = new Map();
    isOpen = false;
    /** Measures whether the line is fast enough for main streams. */
    line = new LineMeter();
    /** The name and the stream of each number. */
    #streams = new Map();
    #players = new Set();
    /** The requests of the current connection; null without one. */
    #requests = null;
    #abort = null;
    #tries = 0;
    #heard = 0;
    #offsets = [];
    #isWanted = false;
    #isRunning = false;
    #resting = null;
    /** The number of the current connection; tasks of older connections end. */
    #turn = 0;
    #choosing = null;
    #visible = new Map();

    constructor() {
        super();
        setInterval(() => this.#look(), 1000);
        addEventListener("online", () => this.#again());
        document.addEventListener("visibilitychange", () => {
            clearTimeout(this.#resting);
            if (document.hidden) { this.#resting = setTimeout(() => this.#rest(), patience); return; }
            this.#look();
            this.#wake();
            this.#choose();
        });
        // Otherwise, a page in the browser's back/forward cache would keep its connection.
        addEventListener("pagehide", () => this.#rest());
        addEventListener("pageshow", () => this.#wake());
        this.observer = new IntersectionObserver((entries) => {
            for (const entry of entries) this.#visible.set(entry.target, entry.isIntersecting);
            this.#choose();
        }, { rootMargin: "200px" });
    }

    /** Seconds since 1970 by the server's clock; null until it is known. */
    get serverTime() {
        return this.#offsets.length === 0 ? null : performance.now() / 1000 - Math.min(...this.#offsets);
    }

    open() {
        if (this.#isWanted) return;
        this.#isWanted = true;
        this.#wake();
    }

    #wake() {
        if (!this.#isWanted || this.#isRunning || document.hidden) return;
        this.#tries = 0;
        this.#isRunning = true;
        this.#run(++this.#turn);
    }

    /** Closes the connection until the page is visible again. */
    #rest() {
        clearTimeout(this.#choosing);
        this.#isRunning = false;
        this.#turn += 1;
        this.#abort?.abort();
        this.#setOpen(false);
    }

    close() {
        this.#isWanted = false;
        this.#rest();
        this.recorders.clear();
    }

    // MARK: Video elements

    addPlayer(player) {
        this.#players.add(player);
        this.observer.observe(player);
        this.#visible.set(player, true);
        this.#restarting.add(player.name);
        this.#choose();
    }

    removePlayer(player) {
        this.#players.delete(player);
        this.#visible.delete(player);
        this.observer.unobserve(player);
        this.#choose();
    }

    /** Requests the streams that the elements want now. */
    change() { this.#choose(); }

    /** Requests a stream again for an element that cannot continue. It begins again with its header and a keyframe. */
    begAgain(player) {
        this.#restarting.add(player.name);
        this.#choose();
    }

    /** The recorders whose streams must start again, because an element has no data of them. */
    #restarting = new Set();
    /** The streams that the current connection began with. */
    #begun = null;
    /** When the current connection began, and the recorders that it has named; null once it has named all. */
    #opened = 0;
    #named = null;

    /** The names of the recorders whose main streams are wanted, and of those whose sub-streams are wanted. */
    #wanted() {
        const visible = [...this.#players].filter((player) => this.#visible.get(player));
        const names = (stream) => visible.filter((player) => player.streams.includes(stream)).map((player) => player.name);
        return { recorders: [...new Set(names("main"))].sort(), small: [...new Set(names("sub"))].sort() };
    }

    /** Sends the list of wanted streams after a short delay, which combines several changes. */
    #choose(pause = 50) {
        clearTimeout(this.#choosing);
        this.#choosing = setTimeout(async () => {
            const requests = this.#requests;
            if (!requests) return;
            for (const name of this.#restarting) requests.restart(name);
            this.#restarting.clear();
            try {
                await requests.send(this.#wanted());
            } catch (error) {
                if (requests !== this.#requests) return;
                if (error.status === 404) this.#again(); else this.#choose(retryPause);
            }
        }, pause);
    }

    // MARK: The connection

    #again() {
        if (!this.#isWanted) return;
        this.#abort?.abort();
    }

    /** Reconnects after silence. The time after a machine's sleep counts as silence too. */
    #look() {
        if (!this.isOpen) return;
        if (performance.now() - this.#heard > silence) return this.#again();
        if (!this.#named || performance.now() - this.#opened < complete) return;
        for (const recorder of gone([...this.recorders.values()], this.#named)) this.#show(recorder);
        this.#named = null;
    }

    #show(recorder) {
        this.recorders.set(recorder.name, recorder);
        this.dispatchEvent(new CustomEvent("recorder", { detail: recorder }));
    }

    async #run(turn) {
        while (turn === this.#turn) {
            try {
                await this.#read();
            } catch (error) {
                if (turn !== this.#turn) return;
                if (error instanceof Refusal && error.status === 401) {
                    this.#isWanted = this.#isRunning = false;
                    session.onLost();
                }
            }
            if (turn !== this.#turn) return;
            this.#setOpen(false);
            if (!this.#isWanted) return;
            const pause = pauses[Math.min(this.#tries, pauses.length - 1)];
            this.#tries += 1;
            await new Promise((resolve) => setTimeout(resolve, pause * (0.75 + Math.random() / 2)));
        }
    }

    async #read() {
        const abort = this.#abort = new AbortController();
        const wanted = this.#wanted();
        const connecting = setTimeout(() => abort.abort(), silence);
        const list = (names) => names.map(encodeURIComponent).join(",");
        const answer = await fetch(`/api/watch?recorders=${list(wanted.recorders)}&small=${list(wanted.small)}`, {
            signal: abort.signal, credentials: "same-origin", cache: "no-store",
        }).finally(() => clearTimeout(connecting));
        if (!answer.ok) throw new Refusal(answer.status, "");
        this.#begun = wanted;
        this.#restarting.clear();
        this.#heard = performance.now();
        const [reader, parser] = [answer.body.getReader(), new MessageParser()];
        while (true) {
            const { done, value } = await reader.read();
            if (done) return;
            this.#heard = performance.now();
            for (const message of parser.feed(value)) this.#take(message);
        }
    }

    #setOpen(isOpen) {
        if (this.isOpen === isOpen) return;
        this.isOpen = isOpen;
        if (!isOpen) { this.#requests = null; this.#offsets = []; }
        for (const player of this.#players) isOpen ? player.takeConnection() : player.takeSilence();
        this.dispatchEvent(new Event("connection"));
    }

    #take({ kind, recorder, payload }) {
        switch (kind) {
            case Kind.hello: {
                const { view } = json(payload);
                this.#requests = new StreamRequests((streams) => post(`/api/watch/${view}`, streams), this.#begun);
                [this.#opened, this.#named] = [performance.now(), new Set()];
                this.#tries = 0;
                this.#setOpen(true);
                this.#choose();
                break;
            }
            case Kind.recorder: {
                const said = json(payload);
                this.#streams.set(recorder, { name: said.name, stream: "main" });
                this.#named?.add(said.name);
                this.#show(said);
                break;
            }
            case Kind.levels:
                this.dispatchEvent(new CustomEvent("levels", { detail: { name: this.#streams.get(recorder)?.name, ...json(payload) } }));
                break;
            case Kind.head: {
                const said = head(payload);
                // The header may arrive before the recorder's state.
                this.#streams.set(recorder, { name: said.name, stream: said.stream });
                this.#each(recorder, (player) => player.takeHead(said));
                break;
            }
            case Kind.media: this.#each(recorder, (player, stream) => player.takeMedia(payload, stream)); break;
            case Kind.unavailable: {
                const said = json(payload);
                this.#streams.set(recorder, { name: said.name, stream: said.stream });
                this.#each(recorder, (player) => player.takeProblem(said.reason, said.stream));
                break;
            }
            case Kind.clock: {
                const offset = performance.now() / 1000 - json(payload).now;
                // An offset far above the earlier ones means that the server's clock was set back.
                if (offset - Math.min(...this.#offsets) > 3) this.#offsets = [];
                this.#offsets = [...this.#offsets, offset].slice(-30);
                break;
            }
            default: break;
        }
    }

    #each(recorder, body) {
        const { name, stream } = this.#streams.get(recorder) ?? {};
        for (const player of this.#players) if (player.name === name) body(player, stream);
    }
}

export const connection = new Connection();
