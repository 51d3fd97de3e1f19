// A former video that stays on top of the next one until that has a frame, so that no change of streams is seen.

/** The milliseconds for which the former video is shown at most. */
const longest = 3000;

export class Overlap {
    #end = null;

    /**
     * Shows `former` until `video` has a frame, and then removes it.
     * @param {HTMLVideoElement} former
     * @param {string|null} address the address of its media, which is released with it
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
