// Keeps the former video on top of the next one until the next one has a frame. A change of streams is then invisible.

/** The maximum time for which the former video is shown, in milliseconds. */
const longest = 3000;

export class Overlap {
    #end = null;

    /**
     * Shows `former` until `video` has a frame, and then removes it.
     * @param {HTMLVideoElement} former
     * @param {string|null} address the address of the former video's media, which is released with that video
     * @param {HTMLVideoElement} video
     */
    begin(former, address, video) {
        this.end();
        const timer = setTimeout(() => this.end(), longest);
        this.#end = () => {
            clearTimeout(timer);
            former.remove();
            former.removeAttribute("src");
            former.load();
            if (address) URL.revokeObjectURL(address);
        };
        former.before(video);
        const end = this.#end;
        video.addEventListener("loadeddata", () => { if (this.#end === end) this.end(); }, { once: true });
    }

    end() {
        const end = this.#end;
        this.#end = null;
        end?.();
    }
}
