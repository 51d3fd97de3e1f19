// Stills of a recorder that replace its live video: a new still every two seconds.
import { connection } from "./connection.js";

export class Stills {
    #timer = null;

    /**
     * @param {HTMLImageElement} image the element that shows the stills
     * @param {string} name of the recorder
     */
    show(image, name) {
        // A still that is already shown stays until the next still.
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
