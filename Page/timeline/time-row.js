// Draws when one recorder recorded: spans, what grows, losses, and marks.

/** Pixels of a device's screen for one of the page, as the canvas has them. */
const fit = (canvas, width, height) => {
    const ratio = window.devicePixelRatio || 1;
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
};

/** What the theme says, once for all rows of a drawing. */
export const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
        back: colour("back"), span: colour("accent"), growing: colour("grave"), loss: colour("warn"), mark: colour("text"), line: colour("line"),
        text: colour("text"), soft: colour("soft"), font: style.getPropertyValue("--font"),
    };
};

/** Room above the bar for marks, and the stripe that tells of losses. Pixels. */
const [markRoom, stripe] = [9, 4];

/** @param {Object} row of `/api/timeline` @param {number} now by the server's clock: what grows reaches up to it */
export const drawRow = (canvas, scale, row, now, height, colour) => {
    const context = fit(canvas, scale.width, height);
    const [top, bottom] = [markRoom, height - 2];
    context.fillStyle = colour.back;
    context.fillRect(0, top, scale.width, bottom - top);
    for (const span of row.spans) {
        // What is written just now is a little longer than when it was asked for.
        const end = span.isGrowing && now - span.end < 15 ? Math.max(span.end, now) : span.end;
        if (end < scale.from || span.begin > scale.to) continue;
        const left = Math.max(-4, scale.place(span.begin));
        const width = Math.max(1.5, Math.min(scale.width + 4, scale.place(end)) - left);
        context.fillStyle = colour.span;
        context.fillRect(left, top, width, bottom - top);
        // Where one file ends and the next begins.
        if (width > 6) {
            context.fillStyle = colour.back;
            context.fillRect(left, top, 1, bottom - top);
        }
        if (span.isGrowing) {
            context.fillStyle = colour.growing;
            context.fillRect(Math.max(left, left + width - 5), top, Math.min(width, 5), bottom - top);
        }
        if (span.hasLosses) drawLoss(context, left, width, bottom, colour);
    }
    context.fillStyle = colour.mark;
    for (const mark of row.marks) if (scale.has(mark.time)) drawMark(context, scale.place(mark.time), bottom);
};

/** A stripe with teeth: it is not told by its colour alone. */
const drawLoss = (context, left, width, bottom, colour) => {
    context.fillStyle = colour.back;
    context.fillRect(left, bottom - stripe - 2, width, stripe + 2);
    context.fillStyle = colour.loss;
    for (let place = left; place < left + width; place += 6) {
        context.fillRect(place, bottom - stripe, Math.min(4, left + width - place), stripe);
    }
};

const drawMark = (context, place, bottom) => {
    context.beginPath();
    context.moveTo(place - 5, 0);
    context.lineTo(place + 5, 0);
    context.lineTo(place, 8);
    context.closePath();
    context.fill();
    context.globalAlpha = 0.8;
    context.fillRect(place - 0.75, 7, 1.5, bottom - 7);
    context.globalAlpha = 1;
};

/** Ticks with their words, and the date above them. @param {{at: number, text: string}[]} ticks */
export const drawAxis = (canvas, scale, ticks, context, height, colour) => {
    const drawing = fit(canvas, scale.width, height);
    drawing.font = `12px ${colour.font}`;
    drawing.textBaseline = "alphabetic";
    let free = -Infinity;
    for (const { at, text } of ticks) {
        const place = scale.place(at);
        drawing.fillStyle = colour.soft;
        drawing.fillRect(Math.round(place), height - 7, 1, 7);
        const width = drawing.measureText(text).width;
        const left = Math.min(scale.width - width - 2, Math.max(2, place - width / 2));
        if (left < free + 8) continue;
        drawing.fillStyle = colour.text;
        drawing.fillText(text, left, height - 11);
        free = left + width;
    }
    if (!context) return;
    drawing.fillStyle = colour.soft;
    drawing.fillText(context, 2, 13);
};
