// The timeline. It shows when each recorder recorded, plays one or two recorders from any time, and exports clips.
import { say, texts } from "../texts.js";
import { button, make, setText } from "../parts/elements.js";
import { connection } from "../watch/connection.js";
import "./cut-panel.js";
import "./recording-player.js";
import { stops } from "./recording-clock.js";
import { hear } from "./keys.js";
import { LineData } from "./line-data.js";
import "./line-track.js";
import { spoken } from "./moments.js";
import { addressOf, placeOf } from "./place.js";
import { Playback } from "./playback.js";
import { Scale } from "./scale.js";
import { serverNow } from "./shelf.js";
import "./transport-bar.js";

/** The maximum number of players side by side. */
const most = 2;
/** The distance in seconds behind the newest frame at which media is available. */
const behind = 6;
/** The seconds since the last write within which a recording counts as growing. */
const lately = 15;

export class TimelineView extends HTMLElement {
    #playback = new Playback();
    #data = new LineData();
    #track = make("line-track");
    #bar = make("transport-bar");
    #cut = make("cut-panel");
    #grid = make("div", { class: "players" });
    #names = make("ul", { class: "line-names" });
    #words = make("p", { class: "hint", role: "status" }, texts.loading);
    #said = make("p", { class: "hidden-title", role: "status" });
    #chosen = [];
    #hasChosen = false;
    #isPlaced = false;
    #hasAudio = false;
    /** True while the line follows the current time. */
    #follows = false;
    #frame = null;
    #address = null;
    /** The page's address as this view last saw or set it. */
    #ownHash = "";
    #known = () => this.#showNames();
    #stopKeys = null;

    connectedCallback() {
        this.#ownHash = location.hash;
        const { at, names } = placeOf(location.hash);
        this.#chosen = names;
        const tool = (name, body) => button(texts.line[name], body, { "data-action": name, "aria-label": texts.lineNames[name], title: texts.lineNames[name] });
        const actions = this.#actions;
        Object.assign(this.#bar, { actions });
        Object.assign(this.#cut, { actions });
        this.replaceChildren(
            make("h1", { class: "hidden-title" }, texts.timeline), this.#words, make("div", { class: "stage" }, this.#grid, this.#bar),
            make("div", { class: "row line-tools" },
                make("div", { class: "row start" }, tool("zoomOut", () => this.#track.zoom(2)), tool("zoomIn", () => this.#track.zoom(0.5)), tool("all", () => this.#showAll()), tool("edge", () => this.#goToEdge())),
                legend()),
            make("div", { class: "line" }, this.#names, this.#track), this.#said, this.#cut);
        this.#track.data = this.#data;
        this.#data.addEventListener("change", () => this.#takeLine());
        this.#hearTrack();
        this.#cut.addEventListener("change", () => { this.#track.ends = this.#cut; });
        this.#playback.addEventListener("changed", () => this.#showPlaying());
        this.#playback.begin();
        connection.addEventListener("recorder", this.#known);
        this.#stopKeys = hear(actions);
        const now = serverNow();
        this.#track.show(at === null ? new Scale(now - 3600, now + 60, 1) : new Scale(at - 300, at + 300, 1));
        if (at !== null) this.#place(at);
        this.#showNames();
        const step = () => { this.#follow(); this.#frame = requestAnimationFrame(step); };
        step();
    }

    disconnectedCallback() {
        cancelAnimationFrame(this.#frame);
        clearTimeout(this.#address);
        this.#playback.end();
        this.#data.end();
        this.#stopKeys();
        connection.removeEventListener("recorder", this.#known);
    }

    #hearTrack() {
        this.#track.addEventListener("scaled", () => { this.#follows = this.#follows && this.#track.scale.has(serverNow()); });
        this.#track.addEventListener("go", ({ detail }) => { this.#scrub(null); this.#go(detail); });
        this.#track.addEventListener("scrub", ({ detail }) => this.#scrub(detail));
    }

    get #actions() {
        return {
            toggle: () => this.#toggle(), step: (seconds) => this.#step(seconds), frame: (direction) => this.#stepFrame(direction),
            zoom: (factor) => this.#track.zoom(factor), first: () => this.#goToFirst(), edge: () => this.#goToEdge(),
            end: (letter) => this.#setEnd(letter), hop: (direction) => this.#hop(direction), cut: () => this.#cut.cut(),
            go: (at) => this.#go(at, true), speed: (speed) => { this.#playback.speed = speed; }, audio: () => this.#toggleAudio(),
            still: () => this.#players[0]?.takeStill(), full: () => this.#fullScreen(), keep: () => this.#keep(),
        };
    }

    /** Keeps the recordings of all players at the current time. If all are kept already, stops keeping them. */
    async #keep() {
        const isKept = this.#players.some(({ held }) => held && !held.isKept);
        await Promise.all(this.#players.map((player) => player.setKept(isKept)));
        this.#data.ask();
    }

    get #players() { return this.#playback.players; }
    get #at() { return this.#isPlaced ? this.#playback.at : null; }
    get #line() { return this.#data.line; }

    // MARK: Recorders

    /** Shows the names of recorders that run or have recordings. */
    #showNames() {
        const known = new Set([...connection.recorders.keys(), ...(this.#line?.recorders ?? []).map(({ name }) => name)]);
        const names = [...known].sort((one, other) => one.localeCompare(other));
        const wanted = this.#chosen.filter((name) => known.has(name));
        if (names.length === 0) return;
        this.#track.names = names;
        if (this.#names.children.length !== names.length || names.some((name, index) => this.#names.children[index].dataset.name !== name)) {
            this.#names.replaceChildren(...names.map((name) => this.#nameItem(name)));
        }
        // Without a choice, the first recorder with recordings is shown.
        if (wanted.length === 0 && this.#line && !this.#hasChosen) this.#choose([this.#line.recorders.find(({ spans }) => spans.length > 0)?.name ?? names[0]]);
        else if (wanted.length > 0) this.#showPlayers(wanted);
    }

    #nameItem(name) {
        const box = make("input", { type: "checkbox", "data-name": name, "aria-label": say(texts.showVideo, { name }) });
        box.checked = this.#chosen.includes(name);
        box.addEventListener("change", () => {
            this.#hasChosen = true;
            this.#choose(box.checked ? [...this.#chosen, name].slice(-most) : this.#chosen.filter((one) => one !== name));
        });
        return make("li", { "data-name": name }, make("label", { title: name }, box, make("span", {}, name)));
    }

    #choose(names) {
        this.#chosen = names;
        this.#showPlayers(names);
        this.#keepAddress();
    }

    /** Shows players for the chosen recorders that are known up to now. */
    #showPlayers(names) {
        const shown = this.#waiting ?? this.#players;
        if (names.join() === shown.map(({ name }) => name).join()) return;
        const old = new Map(shown.map((player) => [player.name, player]));
        const players = names.map((name) => old.get(name) ?? make("recording-player", { "data-name": name }));
        for (const player of old.values()) if (!players.includes(player)) player.remove();
        for (const player of players) if (!player.isConnected) this.#grid.append(player);
        this.#grid.dataset.count = players.length;
        for (const box of this.#names.querySelectorAll("input")) box.checked = this.#chosen.includes(box.dataset.name);
        this.#track.dataset.lead = names[0] ?? "";
        this.#cut.names = names;
        this.#showAudio(players);
        if (this.#isPlaced) this.#playback.use(players); else this.#waiting = players;
    }

    #waiting = null;

    // MARK: Position

    /** Sets the first position. Nothing is played before this call. */
    #place(at) {
        this.#isPlaced = true;
        this.#playback.go(at);
        if (this.#waiting) this.#playback.use(this.#waiting);
        this.#waiting = null;
        this.#tellPlace();
    }

    #takeLine() {
        const line = this.#line;
        const words = this.#data.problem || (line?.indexing ? say(texts.indexing, line.indexing) : line && line.first === null ? texts.noRecordings : "");
        setText(this.#words, words);
        this.#words.hidden = words === "";
        if (line && !this.#isPlaced && line.last !== null) {
            const long = Math.min(3600, Math.max(60, (line.last - line.first) * 1.08));
            this.#track.show(new Scale(line.last - long * 0.96, line.last + long * 0.04, 1));
            this.#place(Math.max(line.first, line.last - behind * 2));
            this.#follows = line.now - line.last < lately;
        }
        this.#showNames();
        this.#track.draw();
        this.#tellEnds();
    }

    /** @param {boolean} isFar true to center the line there even if the time is visible */
    #go(at, isFar = false) {
        this.#isPlaced ? this.#playback.go(at) : this.#place(at);
        const { scale } = this.#track;
        if (isFar || !scale.has(at)) {
            this.#follows = false;
            this.#track.show(scale.starting(at - scale.length / 2));
        }
        this.#tellPlace();
    }

    #step(seconds) { if (this.#at !== null) this.#go(Math.max(0, this.#at + seconds)); }

    #stepFrame(direction) {
        if (this.#playback.isPlaying) return this.#playback.pause();
        const at = this.#players[0]?.nextFrame(direction);
        if (at !== null && at !== undefined) this.#go(at);
    }

    #goToFirst() { if (this.#line?.first != null) this.#go(this.#line.first, true); }

    #goToEdge() {
        const line = this.#line;
        if (!line || line.last === null) return;
        const now = serverNow();
        const isLive = now - line.last < lately;
        const { scale } = this.#track;
        const edge = isLive ? now : line.last;
        this.#track.show(scale.ending(edge + scale.length * 0.04));
        this.#go(Math.max(line.first, edge - behind));
        this.#follows = isLive;
    }

    #showAll() {
        const line = this.#line;
        if (!line || line.first === null) return;
        const room = Math.max(5, (line.last - line.first) * 0.03);
        this.#follows = false;
        this.#track.show(new Scale(line.first - room, line.last + room, 1));
    }

    /** Goes to the next or previous mark or start of a recording. */
    async #hop(direction) {
        const at = this.#at;
        if (at === null) return;
        const found = await Promise.all(this.#players.map(async ({ shelf }) => {
            try { await (direction > 0 ? shelf.load(at, true) : shelf.earlier(at)); } catch { /* The known recordings are enough. */ }
            const all = stops(shelf.recordings);
            return direction > 0 ? all.find(({ time }) => time > at + 0.05) : all.findLast(({ time }) => time < at - (this.#playback.isPlaying ? 1 : 0.05));
        }));
        const [stop] = found.filter(Boolean).sort((one, other) => (one.time - other.time) * direction);
        if (!stop) return setText(this.#said, texts.nothingFurther);
        // The target is a little after the border, so that the frame after the border is shown.
        this.#go(stop.time + 0.001);
        setText(this.#said, stop.title === null ? say(texts.atRecording, { moment: spoken(stop.time) }) : say(texts.atMark, { title: stop.title, moment: spoken(stop.time) }));
    }

    /** Shows the still of a time during a drag. After the drag, playback continues at that time. */
    #scrub(at) {
        for (const player of this.#players) player.scrub(at, this.#track.scale.perPixel);
        this.#scrubbed = at;
    }

    #scrubbed = null;

    #setEnd(letter) {
        if (this.#at === null) return;
        if (letter === "a") this.#cut.setA(this.#at); else this.#cut.setB(this.#at);
        setText(this.#said, say(letter === "a" ? texts.aIs : texts.bIs, { moment: spoken(this.#at) }));
    }

    // MARK: Playing

    #toggle() {
        if (!this.#isPlaced) return;
        if (this.#playback.isPlaying) this.#playback.pause(); else this.#playback.play();
    }

    #showPlaying() {
        this.#bar.showPlaying(this.#playback.isPlaying);
        if (!this.#playback.isPlaying) this.#tellPlace();
    }

    #toggleAudio() {
        this.#hasAudio = !this.#hasAudio;
        this.#showAudio(this.#players);
    }

    /** Plays the audio of the first player only, because two at once are hard to understand. */
    #showAudio(players) {
        players.forEach((player, index) => { player.isMuted = index > 0 || !this.#hasAudio; });
        this.#bar.showAudio(this.#hasAudio);
    }

    #fullScreen() {
        if (document.fullscreenElement) document.exitFullscreen(); else this.#grid.requestFullscreen?.().catch(() => {});
    }

    // MARK: Display

    /** Updates the cursor with each screen refresh. */
    #follow() {
        const at = this.#scrubbed ?? this.#at;
        if (at === null) return;
        const { scale } = this.#track;
        if (this.#follows) this.#followNow(scale);
        else if (this.#playback.isPlaying && this.#scrubbed === null && at > scale.to && at < scale.to + scale.length) this.#track.show(scale.starting(at - scale.length * 0.1));
        this.#track.cursor = at;
        this.#bar.showMoment(at, !this.#playback.isPlaying && this.#scrubbed === null);
    }

    /** Moves the line in steps of at least a pixel, so that the newest edge of the recordings stays in place. */
    #followNow(scale) {
        const edge = serverNow() + scale.length * 0.04;
        if (Math.abs(edge - scale.to) >= scale.perPixel) this.#track.show(scale.ending(edge));
    }

    #tellEnds() {
        const line = this.#line;
        if (!line || line.first === null) return;
        this.#track.setAttribute("aria-valuemin", Math.floor(line.first));
        this.#track.setAttribute("aria-valuemax", Math.ceil(Math.max(line.last, this.#at ?? 0)));
    }

    /** Announces the position after a jump. During playback, it is not announced. */
    #tellPlace() {
        const at = this.#at;
        if (at === null) return;
        const there = this.#players.map((player) => [player.name, player.shelf.at(at)]).filter(([, recording]) => recording === null).map(([name]) => name);
        this.#track.setAttribute("aria-valuenow", Math.round(at));
        this.#track.setAttribute("aria-valuetext", there.length ? say(texts.spokenGap, { moment: spoken(at), names: there.join(", ") }) : spoken(at));
        this.#keepAddress();
    }

    /**
     * Stores the current time in the page's address, so that users can share the address. An address that the user has just
     * opened is not replaced: the browser reports it later (`hashchange`), and would then report the replacement.
     */
    #keepAddress() {
        clearTimeout(this.#address);
        this.#address = setTimeout(() => {
            if (!this.isConnected || location.hash !== this.#ownHash) return;
            history.replaceState(null, "", addressOf(this.#at, this.#chosen));
            this.#ownHash = location.hash;
        }, 300);
    }
}
customElements.define("timeline-view", TimelineView);

/** The legend of the line's colors. */
const legend = () => make("ul", { class: "legend small" }, ...["recorded", "activity", "growing", "lost", "kept", "mark"].map((kind) =>
    make("li", {}, make("span", { class: `swatch ${kind}` }), texts.legend[kind])));
