// Converts between a recording's own seconds and wall time, and finds the recording at a time. Pure. A recording is an
// entry of `/api/recordings`, and its `pauses` are the times that its file leaves out. `wall` is in seconds since 1970.

/** The maximum gap between consecutive files of one recording, in seconds. It is not visible. */
export const seam = 0.25;

const pausesOf = (recording) => recording.pauses ?? [];

/** The wall time of a position in the file; at a pause, the time at which the pause ends. */
export const wallTime = (recording, file) => pausesOf(recording).reduce(
    (wall, pause) => (pause.time <= file ? wall + pause.duration : wall), recording.begin + file);

/** The position in the file at a wall time; during a pause, the position of the pause. */
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

/** The recording at a time, or the newest of several; null if nothing was recorded. @param {Object[]} recordings */
export const holding = (recordings, wall) => recordings
    .filter(({ begin, end }) => begin <= wall && wall < end)
    .reduce((best, one) => (best && best.begin >= one.begin ? best : one), null);

/** The next recording; null if there is none. */
export const following = (recordings, wall) => recordings
    .filter(({ begin }) => begin > wall)
    .reduce((best, one) => (best && best.begin <= one.begin ? best : one), null);

/** The targets for jumps: starts of recordings, and their marks. */
export const stops = (recordings) => recordings.flatMap((recording) => [
    { time: recording.begin, title: null },
    ...recording.marks.map(({ time, title }) => ({ time: wallTime(recording, time), title })),
]).sort((a, b) => a.time - b.time);
