// Draws the recordings of one recorder: spans, their activity, growing ends, drops, kept recordings, and marks.

const fit = (canvas, width, height) => {
    const ratio = window.devicePixelRatio || 1;
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
};

/** The theme's colors. They are read once for all rows of a drawing. */
export const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
        back: colour("back"), span: colour("accent"), growing: colour("grave"), kept: colour("text"), activity: colour("back"), loss: colour("warn"), mark: colour("text"), line: colour("line"),
        text: colour("text"), soft: colour("soft"), font: style.getPropertyValue("--font"),
    };
};

/** The height in pixels of the space for marks above the bar, and of the stripe that shows drops. */
const [markRoom, stripe] = [9, 4];

/**
 * @param {Object} row of `/api/timeline`
 * @param {number} now the time by the server's clock; growing recordings extend to it
 */
export const drawRow = (canvas, scale, row, now, height, colour) => {
    const context = fit(canvas, scale.width, height);
    const [top, bottom] = [markRoom, height - 2];
    const fill = (colour, places) => {
        context.fillStyle = colour;
        for (const place of places) context.fillRect(...place);
    };
    const spans = row.spans.map((span) => {
        // A growing recording is a little longer now than at the time of the request.
        const end = span.isGrowing && now - span.end < 15 ? Math.max(span.end, now) : span.end;
        const left = Math.max(-4, scale.place(span.begin));
        return { ...span, end, left, width: Math.max(1.5, Math.min(scale.width + 4, scale.place(end)) - left) };
    }).filter(({ begin, end }) => end >= scale.from && begin <= scale.to);
    const whole = ({ left, width }) => [left, top, width, bottom - top];
    const lossy = spans.filter(({ hasLosses }) => hasLosses);
    fill(colour.back, [[0, top, scale.width, bottom - top]]);
    fill(colour.span, spans.map(whole));
    // The borders between files.
    fill(colour.back, spans.filter(({ width }) => width > 6).map(({ left }) => [left, top, 1, bottom - top]));
    drawActivity(context, scale, row.activity ?? [], top, bottom, colour);
    fill(colour.growing, spans.filter(({ isGrowing }) => isGrowing)
        .map(({ left, width }) => [Math.max(left, left + width - 5), top, Math.min(width, 5), bottom - top]));
    fill(colour.back, lossy.map(({ left, width }) => [left, bottom - stripe - 2, width, stripe + 2]));
    fill(colour.loss, lossy.flatMap((span) => teeth(span, bottom)));
    // A line above the bar.
    fill(colour.kept, spans.filter(({ isKept }) => isKept).map(({ left, width }) => [left, top, width, 2]));
    context.fillStyle = colour.mark;
    for (const mark of row.marks) if (scale.has(mark.time)) drawMark(context, scale.place(mark.time), bottom);
};

/**
 * Draws the activity as bars in the lower half: 100 is half the height.
 * @param {{begin, step, values: number[]}[]} activity
 */
const drawActivity = (context, scale, activity, top, bottom, colour) => {
    context.fillStyle = colour.activity;
    for (const { begin, step, values } of activity) {
        const [from, width] = [Math.max(0, Math.floor((scale.from - begin) / step)), Math.max(1, step / scale.perPixel)];
        const to = Math.min(values.length, Math.ceil((scale.to - begin) / step));
        for (let index = from; index < to; index += 1) {
            const height = values[index] / 100 * (bottom - top) / 2;
            if (height > 0.5) context.fillRect(scale.place(begin + index * step), bottom - height, width, height);
        }
    }
};

/** A stripe whose shape is visible without its color. */
const teeth = ({ left, width }, bottom) => Array.from({ length: Math.ceil(width / 6) },
    (_, index) => [left + index * 6, bottom - stripe, Math.min(4, width - index * 6), stripe]);

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

/** Draws ticks with their labels, and the date above them. @param {{at: number, text: string}[]} ticks */
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
