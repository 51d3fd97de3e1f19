// Reads the clock that the test camera draws into its frames (TestPattern.swift) from a playing video, and stores the
// results in `window.clockSamples`. Runs in the page.
"use strict";
window.watchClock = (video, player, every) => {
    const columns = 73, font = [
        [14, 17, 17, 21, 17, 17, 14], [4, 12, 20, 4, 4, 4, 31], [14, 17, 1, 6, 8, 16, 31], [30, 1, 1, 14, 1, 1, 30],
        [18, 18, 18, 31, 2, 2, 2], [31, 16, 16, 30, 1, 1, 30], [15, 16, 16, 30, 17, 17, 14], [31, 1, 2, 2, 4, 4, 4],
        [14, 17, 17, 14, 17, 17, 14], [14, 17, 17, 15, 1, 1, 30],
    ];
    const canvas = document.createElement("canvas"), context = canvas.getContext("2d", { willReadFrequently: true });
    const even = (value) => Math.floor(value / 2) * 2;

    /** The milliseconds since the machine's start in the frame; null if they cannot be read. */
    const read = () => {
        const [width, height] = [video.videoWidth, video.videoHeight];
        const scale = Math.max(1, Math.min(Math.floor(height / 64), Math.floor(Math.floor(width * 9 / 10) / columns)));
        const line = 9 * scale;
        const left = Math.max(0, even((width - even(columns * scale + 1)) / 2));
        const top = Math.max(0, even(height * 3 / 8) - even(even(2 * line + 1) / 2));
        Object.assign(canvas, { width: columns * scale, height: line });
        context.drawImage(video, left, top + line, columns * scale, line, 0, 0, columns * scale, line);
        const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
        const green = (x, y) => pixels[4 * (Math.floor(y) * canvas.width + Math.floor(x)) + 1];
        // Once a second the paper is white and the ink is black.
        const paper = green(scale / 2, scale / 2);
        const digit = (column) => {
            let [best, least, next] = [0, 99, 99];
            font.forEach((rows, value) => {
                let wrong = 0;
                rows.forEach((bits, row) => {
                    for (let bit = 0; bit < 5; bit++) {
                        const x = (column * 6 + 1.5 + bit) * scale, y = (row + 1.5) * scale;
                        const isInk = Math.abs(green(x, y) - paper) > 110;
                        wrong += isInk === Boolean(bits & (16 >> bit)) ? 0 : 1;
                    }
                });
                if (wrong < least) [best, least, next] = [value, wrong, least]; else if (wrong < next) next = wrong;
            });
            return least <= 2 && least < next ? best : NaN;
        };
        const digits = [0, 1, 3, 4, 6, 7, 9, 10, 11].map(digit);
        const number = (from, count) => digits.slice(from, from + count).reduce((sum, value) => sum * 10 + value, 0);
        const time = ((number(0, 2) * 60 + number(2, 2)) * 60 + number(4, 2)) * 1000 + number(6, 3);
        return Number.isNaN(time) ? null : time;
    };

    window.clockSamples = [];
    let [count, stalls, late, before] = [0, 0, 0, 0];
    video.addEventListener("waiting", () => { stalls += 1; });
    const look = (_, frame) => {
        video.requestVideoFrameCallback(look);
        count += 1;
        // At 30 fps and 60 Hz, each frame is shown for two refreshes, or occasionally three.
        if (before && frame.expectedDisplayTime - before > 60) late += 1;
        before = frame.expectedDisplayTime;
        if (count % every !== 0) return;
        // The time on the screen by the wall clock, in seconds since 1970.
        const shown = (Date.now() + Math.max(0, frame.expectedDisplayTime - performance.now())) / 1000;
        const clock = read();
        window.clockSamples.push({
            shown, clock: clock === null ? null : clock / 1000, said: player.delay, media: frame.mediaTime, rate: video.playbackRate,
            ahead: video.buffered.length ? video.buffered.end(video.buffered.length - 1) - video.currentTime : 0,
            count, stalls, late, dropped: video.getVideoPlaybackQuality().droppedVideoFrames,
        });
    };
    video.requestVideoFrameCallback(look);
};
