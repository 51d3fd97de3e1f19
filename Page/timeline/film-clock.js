// What a recording's own seconds are by the clock on the wall, and which recording holds a moment. Pure. A recording is one of
// `/api/recordings`, `wall` seconds since 1970; `pauses` are where time passed that its file does not have.

/** Between files of one recording clocks may differ by so much; nobody sees it. Seconds. */
export const seam = 0.25;

const pausesOf = (recording) => recording.pauses ?? [];

/** Of a place of the file; where it was paused, when it went on. */
export const wallTime = (recording, file) => pausesOf(recording).reduce(
    (wall, pause) => (pause.time <= file ? wall + pause.duration : wall), recording.begin + file);

/** Inside a pause: where the film goes on. */
export const fileTime = (recording, wall) => {
    let missing = 0;
    for (const { time, duration } of pausesOf(recording)) {
        const begins = recording.begin + time + missing;
        if (wall <= begins) break;
        if (wall < begins + duration) return time;
        missing += duration;
    }
    return Math.max(0, wall - recording.begin - missing);
};

/** The recording that has a moment, the newest where two do; null where nothing was recorded. @param {Object[]} recordings */
export const holding = (recordings, wall) => recordings
    .filter(({ begin, end }) => begin <= wall && wall < end)
    .reduce((best, one) => (best && best.begin >= one.begin ? best : one), null);

/** The one that begins next; null when there is none. */
export const following = (recordings, wall) => recordings
    .filter(({ begin }) => begin > wall)
    .reduce((best, one) => (best && best.begin <= one.begin ? best : one), null);

/** Where one may want to go: where recordings begin, and their marks. */
export const stops = (recordings) => recordings.flatMap((recording) => [
    { time: recording.begin, title: null },
    ...recording.marks.map(({ time, title }) => ({ time: wallTime(recording, time), title })),
]).sort((a, b) => a.time - b.time);
