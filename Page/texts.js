// All visible texts, in English. `say` fills in `{name}`.
export const texts = {
    title: "recorder",
    watch: "Watch", logOut: "Log out", help: "Keys", theme: "Light or dark",
    loading: "Loading…", close: "Close", cancel: "Cancel", 

    logIn: "Log in", user: "Name", password: "Password",
    noAccounts: "Nobody can log in yet. On the recording machine, `recorder web user add NAME --role operator` makes an account.",

    noRecorders: "No recorder runs, and none has recorded anything. `recorder start` begins one.",
    state: {
        armed: "armed", recording: "recording", paused: "paused", stopping: "stopping", failed: "failed",
        died: "died", diskFull: "ended: disk full", notRunning: "not running", unreachable: "does not answer",
    },
    ended: "{name}: {state}, {time}. {error}. {file}{wayOut}", leftUnfinished: "{file} is left unfinished. ",
    unknownTime: "nobody knows when", interrupted: "interrupted",
    live: "live", liveWithDelay: "live, {delay} s", reconnecting: "reconnecting…", noPicture: "no picture",
    waiting: "waiting for a picture…", 
    cannotPlay: "This browser cannot play {type}.",
    leftOut: "Not in the live stream: {reason}",
    diskFree: "{size} free", recordedTime: "Recorded", size: "Size", file: "File", frames: "Pictures a second",
    disk: "Disk", resolution: "Size of picture",
    losses: "Lost: {list}", lost: "Lost", nothing: "nothing",
    cause: {
        device: "by the device", queue: "because the encoder was too slow", encoder: "by the encoder",
        corrupt: "damaged by the device", paused: "during pauses", disk: "because the disk was too slow or full",
    },
    pictures: "{count} pictures {cause}", samples: "{count} samples of sound {cause}",
    level: "Level of the sound", noSound: "no sound",
    open: "Open {name}", back: "All recorders", noSuchRecorder: "There is no recorder {name}.", day: "Day",

    action: {
        record: "Record", stop: "Stop", pause: "Pause", resume: "Go on", split: "New file", mark: "Mark",
        save: "Save last", snapshot: "Snapshot", acknowledge: "Acknowledge",
    },
    done: {
        record: "{name} records.", stop: "{name} has stopped: {file}, {duration}, {bytes}.",
        pause: "{name} is paused.", resume: "{name} goes on.",
        split: "{name} goes on in a new file; {file} is whole, {duration}.",
        mark: "Marked “{title}” at {duration}.", save: "Saved the last {duration} as {file}.",
        snapshot: "The picture is in your downloads.", acknowledge: "How {name} ended is acknowledged.",
    },
    stopTitle: "Stop {name}?", stopText: "The recording ends, and its file is closed. Only an armed recorder can be started again from this page.",
    pauseTitle: "Pause {name}?", stopped: "Not running: {count}",
    markTitle: "Mark this moment", markLabel: "Title", saveTitle: "Save the last seconds",
    saveLabel: "Seconds", saveHint: "As much as is kept in memory: {seconds} s.",
    notAllowed: "Not now: {name} is {state}.",

    recordings: "Recordings", recorder: "Recorder", allRecorders: "all", more: "Show more", play: "Play", download: "Download",
    noRecordings: "Nothing has been recorded.", recordingCount: "Recordings: {count}", growing: "being recorded",
    indexing: "Looking for recordings: {done} of {total} have been read.", marks: "Marks: {count}",
    delete: "Delete", deleteTitle: "Delete this recording?", deleteText: "{file}, {duration}, {bytes}.",
    deleteAgain: "For ever?", deleteForEver: "{file} is gone then, from a second disk too. Nothing brings it back.",
    deleteSurely: "Delete for ever", deleted: "{file} is deleted.",
    cannotPlayFile: "This browser cannot play it; it can be downloaded.",
    ending: {
        deviceLost: "a device was lost", diskFull: "the disk was full", failed: "failed",
        repaired: "interrupted, and repaired",
    },

    unmute: "Sound on", mute: "Sound off", volume: "Volume", fullScreen: "Full screen", pictureInPicture: "Small window",
    timeline: "Time line", earlier: "Earlier", inTimeline: "In the time line", inTimelineOf: "In the time line: {name}",
    earlierOf: "The last minute of {name}",
    nothingRecorded: "Nothing was recorded here.", showFilm: "Show the film of {name}",
    line: { zoomOut: "−", zoomIn: "+", all: "All", edge: "Live edge" },
    lineNames: { zoomOut: "Show more time", zoomIn: "Show less time", all: "Show all that was recorded", edge: "Go to the newest picture" },
    legend: { recorded: "recorded", growing: "being recorded", lost: "something was lost", mark: "mark" },
    transport: {
        play: "Play", pause: "Pause", back: "Ten seconds back", on: "Ten seconds on",
        before: "Back to the mark or recording before", next: "On to the next mark or recording",
    },
    speed: "Speed", jump: "Go to", still: "Still", stillOf: "Store the picture of {name}",
    wholeFile: "Whole file", wholeFileOf: "Download the whole file {file}",
    spokenGap: "{moment}, nothing recorded by {names}", nothingFurther: "There is nothing further.",
    atMark: "Mark {title}, {moment}", atRecording: "A recording begins, {moment}", aIs: "A is {moment}", bIs: "B is {moment}",
    takeAway: "Take away", cutHint: "From A to B as one file, as it was recorded.", setA: "Set A here", setB: "Set B here", notSet: "not set",
    goTo: "Go there", goToA: "Go to A", goToB: "Go to B", clear: "Clear", remove: "Remove",
    cut: "Cut", cutBoth: "Cut both", cutLength: "{length} from A to B", cutNeeds: "Set A and B first", cutBegun: "{name} is being cut.",
    cutDone: "{file} is cut, and in your downloads.", cutReady: "{file} is cut. Press Download to store it.", cutFailed: "The cut of {name} failed: {problem}",
    cutOf: "{name}, {length}", cutLeftOut: "Left out: {list}",
    cutState: { waiting: "waiting", working: "{share} %", done: "{length}, {bytes}", failed: "failed" },

    keysTitle: "Keys", keys: [
        ["One recorder", [
            ["m", "mark"], ["p", "pause or go on"], ["s", "snapshot"], ["f", "full screen"], ["u", "sound on or off"],
        ]],
        ["Time line", [
            ["space, k", "play or pause"], ["← →", "a second; with Shift ten"], [", .", "one picture; also Ctrl with ← →"], ["+ −", "less or more time"],
            ["Home, End", "to the beginning; to the live edge"], ["p, n", "mark or recording before, and next"], ["a, b", "set A; set B"], ["c", "cut"],
            ["s", "still"], ["u", "sound on or off"], ["f", "full screen"],
        ]],
        ["Everywhere", [["?", "this list"]]],
    ],

    problem: "{message}. {wayOut}",
    unreachableServer: "The page's server cannot be reached.",
};

/**
 * Returns a text with its placeholders filled in.
 * @param {string} text
 * @param {Object<string, string|number>} values
 */
export const say = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
