// Requests the streams that a page wants over one connection. No DOM.

/**
 * Sends one request at a time. On a slow line, an earlier request could otherwise arrive after a later one, and undo it.
 */
export class StreamRequests {
    #post;
    /** The streams that the server sends, as far as known. */
    #sent;
    /** True if the last request failed, so that it is unknown which streams the server sends. */
    #isUnsure = false;
    /** The recorders whose streams must start again. */
    #restarting = new Set();
    /** The newest wish that has not been sent; null without one. */
    #next = null;
    #isBusy = false;

    /**
     * @param {(streams: {recorders: string[], small: string[]}) => Promise<void>} post
     * @param {{recorders: string[], small: string[]}} sent the streams that the connection began with
     */
    constructor(post, sent) { [this.#post, this.#sent] = [post, sent]; }

    /** Lets the streams of a recorder start again with the next `send`, because an element has no data of them. */
    restart(name) { this.#restarting.add(name); }

    /**
     * Requests these streams, after the request that is being sent.
     * @param {{recorders: string[], small: string[]}} wanted
     * @throws what `post` throws; the streams must then be sent again
     */
    async send(wanted) {
        this.#next = wanted;
        if (this.#isBusy) return;
        this.#isBusy = true;
        try {
            while (this.#next) {
                const streams = this.#next;
                this.#next = null;
                await this.#request(streams);
            }
        } finally { this.#isBusy = false; }
    }

    async #request(wanted) {
        // A stream starts again if it is left out once.
        const stays = (key) => wanted[key].filter((name) => !this.#restarting.has(name) || !this.#sent[key].includes(name));
        const others = { recorders: stays("recorders"), small: stays("small") };
        const restarts = JSON.stringify(others) !== JSON.stringify(wanted);
        const isKnown = !this.#isUnsure && JSON.stringify(wanted) === JSON.stringify(this.#sent);
        const restarting = this.#restarting;
        this.#restarting = new Set();
        if (isKnown && !restarts) return;
        this.#isUnsure = true;
        try {
            if (restarts) await this.#post(others);
            await this.#post(wanted);
        } catch (error) {
            for (const name of restarting) this.#restarting.add(name);
            throw error;
        }
        [this.#sent, this.#isUnsure] = [wanted, false];
    }
}
