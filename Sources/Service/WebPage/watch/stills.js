// Stills of a recorder in place of its live video, a new one every two seconds.
import { connection } from "./connection.js";

export class Stills {
    #timer = null;

    /**
     * @param {HTMLImageElement} image the element that shows them
     * @param {string} name of the recorder
     */
    show(image, name) {
        // A still that is shown stays until the next one.
        clearInterval(this.#timer);
        const look = () => {
            const canShow = connection.recorders.get(name)?.allowed.includes("snapshot");
            if (document.hidden || !canShow) { image.hidden = true; return; }
            const next = new Image();
            next.onload = () => { image.src = next.src; image.hidden = false; };
            next.src = `/api/recorders/${encodeURIComponent(name)}/snapshot`;
        };
        look();
        this.#timer = setInterval(look, 2000);
    }

    hide(image) {
        clearInterval(this.#timer);
        image.hidden = true;
    }
}
