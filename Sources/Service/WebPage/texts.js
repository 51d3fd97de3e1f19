// All visible texts, in English. `say` replaces placeholders such as `{name}`; `{count:s}` becomes the plural's "s".
export const texts = {
    title: "recorder",
    watch: "Watch", logOut: "Log out", help: "Keyboard shortcuts", theme: "Light or dark theme",
    loading: "Loading…", close: "Close", cancel: "Cancel", 

    logIn: "Log in", user: "Name", password: "Password",
    noAccounts: "There are no accounts yet. Add one on the recording machine: `recorder web user add NAME --role operator`.",

    noRecorders: "No recorders yet. Start one with `recorder start`.",
    state: {
        armed: "armed", starting: "starting", recording: "recording", paused: "paused", stopping: "stopping",
        failed: "failed",
        died: "died", diskFull: "stopped: disk full", notRunning: "not running", unreachable: "not responding",
    },
    ended: "{name}: {state}, {time}. {facts}", leftUnfinished: "{file} is unfinished.",
    unknownTime: "time unknown", interrupted: "interrupted",
    live: "live", liveWithDelay: "live, {delay} s", reconnecting: "reconnecting…", noVideo: "no video",
    waiting: "waiting for video…",
    cannotPlay: "This browser cannot play {codec}.",
    cannotDecode: "This browser cannot decode the video. Trying again…",
    leftOut: "Not in the live stream: {reason}",
    diskFree: "{size} free", recordedTime: "Recorded", size: "Size", file: "File", frames: "Frame rate",
    disk: "Disk", resolution: "Resolution",
    losses: "{list}", lost: "Dropped", nothing: "none",
    cause: {
        device: "lost by the device", queue: "queue full", encoder: "encoder too slow",
        corrupt: "damaged by the device", paused: "paused", disk: "disk too slow or full",
    },
    droppedFrames: "{count} frame{count:s} dropped ({cause})", samples: "{count} audio frame{count:s} dropped ({cause})",
    level: "Audio level", noAudio: "no audio",
    open: "Open {name}", back: "All recorders", noSuchRecorder: "There is no recorder {name}.", day: "Day",

    action: {
        record: "Record", stop: "Stop", pause: "Pause", resume: "Resume", split: "New file", mark: "Mark",
        save: "Save pre-roll", snapshot: "Snapshot", acknowledge: "Acknowledge",
    },
    done: {
        record: "{name} is recording.", stop: "{name} stopped: {file}, {duration}, {bytes}.",
        pause: "{name} is paused.", resume: "{name} resumed.",
        split: "{name} continues in a new file; {file} is complete, {duration}.",
        mark: "Marked “{title}” at {duration}.", save: "Saved the last {duration} as {file}.",
        snapshot: "Snapshot downloaded.", acknowledge: "{name} acknowledged.",
    },
    stopTitle: "Stop {name}?", stopText: "The recording ends and its file is finalized. This page can start another recording only if the recorder is armed.",
    pauseTitle: "Pause {name}?", stopped: "{count} not running",
    markTitle: "Set a mark", markLabel: "Title", saveTitle: "Save the pre-roll",
    saveLabel: "Seconds", saveHint: "Up to {seconds} s are in memory.",
    notAllowed: "Not possible while {name} is {state}.",

    recordings: "Recordings", recorder: "Recorder", allRecorders: "all", more: "Show more", play: "Play", download: "Download",
    noRecordings: "No recordings.", recordingCount: "{count} recording{count:s}", growing: "being recorded",
    indexing: "Reading recordings: {done} of {total}.", marks: "{count} mark{count:s}",
    delete: "Delete", deleteTitle: "Delete this recording?", deleteText: "{file}, {duration}, {bytes}.",
    deleteAgain: "Delete permanently?", deleteForEver: "{file} will also be deleted from its mirror, if it has one. This cannot be undone.",
    deleteSurely: "Delete permanently", deleted: "{file} deleted.",
    keep: "Keep", keepFile: "Keep file", unkeep: "Stop keeping", kept: "Kept: nothing deletes it.", keptFor: "Kept: {note}",
    isKept: "{file} is kept.", isNotKept: "{file} is no longer kept.", nothingToKeep: "{name} is recording nothing.",
    cannotPlayFile: "This browser cannot play this file. Download it instead.",
    cannotPlayCodec: "This browser cannot play {codec}. Download the file instead.",
    ending: {
        deviceLost: "stopped: device disconnected", diskFull: "stopped: disk full", failed: "failed",
        repaired: "interrupted, then repaired",
    },

    unmute: "Unmute", mute: "Mute", volume: "Volume", fullScreen: "Full screen", pictureInPicture: "Picture in picture",
    timeline: "Timeline", earlier: "Last minute", inTimeline: "Show on timeline", inTimelineOf: "Show on timeline: {name}",
    earlierOf: "Last minute of {name}",
    nothingRecorded: "Nothing was recorded at this time.", showVideo: "Show the video of {name}",
    line: { zoomOut: "−", zoomIn: "+", all: "All", edge: "Live edge" },
    lineNames: { zoomOut: "Zoom out", zoomIn: "Zoom in", all: "Show all recordings", edge: "Go to the live edge" },
    legend: { recorded: "recorded", activity: "activity", growing: "being recorded", lost: "frames dropped", kept: "kept", mark: "mark" },
    transport: {
        play: "Play", pause: "Pause", back: "Back 10 seconds", on: "Forward 10 seconds",
        before: "Previous mark or recording", next: "Next mark or recording",
    },
    speed: "Speed", jump: "Go to", still: "Still", stillOf: "Save a still of {name}",
    wholeFile: "Download file", wholeFileOf: "Download file {file}",
    spokenGap: "{moment}, {names} recorded nothing", nothingFurther: "No more marks or recordings.",
    atMark: "Mark {title}, {moment}", atRecording: "Start of a recording, {moment}", aIs: "Start: {moment}", bIs: "End: {moment}",
    takeAway: "Export clip", cutHint: "From start to end as one file, not re-encoded.", setA: "Set start (A)", setB: "Set end (B)", notSet: "not set",
    goTo: "Go there", goToA: "Go to start", goToB: "Go to end", clear: "Clear", remove: "Remove",
    cut: "Export", cutBoth: "Export both", cutLength: "{length} selected", cutNeeds: "Set start and end first", cutBegun: "Exporting a clip of {name}.",
    cutDone: "{file} exported and downloaded.", cutReady: "{file} exported. Press Download to save it.", cutFailed: "The export of {name} failed: {problem}",
    cutOf: "{name}, {length}", cutLeftOut: "Not included: {list}",
    cutState: { waiting: "waiting", working: "{share} %", done: "{length}, {bytes}", failed: "failed" },

    mask: {
        open: "Masks…", title: "Masks", place: "Still of the recorder, to draw on", name: "Mask {text}",
        still: "This still already shows the existing masks, so the parts that they hide are not visible here. The editor does not change the configuration: copy the texts below into it.",
        help: "Click or tap to add corners. Click or tap the first or last corner again to close the mask. Drag a corner to move it. Press ? to see the keys.",
        keys: "Tab selects a mask, Enter selects its next corner. Arrows move the corner, Delete removes it.", corner: "Corner {number} of {corners}: {place} %. Masks: {masks}.",
        state: "{place} %. New corners: {corners}. Masks: {masks}.", refused: "A mask needs 3 to 64 corners that are not on one line; up to 64 masks are possible.",
        remove: "Remove corner or mask", style: "Style of all masks", styles: { color: "Color", pixelate: "Blocks" }, side: "Size of blocks in pixels",
        file: "Configuration file", options: "Command line", copy: "Copy", copied: "Copied.",
        hint: "If the file already has “mask”, add the entries there, with names that are not used yet. The style applies to all masks of the recorder.",
    },

    keysTitle: "Keyboard shortcuts", keys: [
        ["One recorder", [
            ["m", "mark"], ["k", "keep the file that is being recorded"], ["p", "pause or resume"], ["s", "snapshot"], ["f", "full screen"], ["u", "mute or unmute"],
        ]],
        ["Timeline", [
            ["space, k", "play or pause"], ["← →", "1 second; with Shift 10"], [", .", "one frame; also Ctrl with ← →"], ["+ −", "zoom in, out"],
            ["Home, End", "first recording, live edge"], ["p, n", "previous, next mark or recording"], ["a, b", "set start, end"], ["c", "export clip"],
            ["s", "still"], ["K", "keep the recording, or stop keeping it"], ["u", "mute or unmute"], ["f", "full screen"],
        ]],
        ["Masks", [
            ["← → ↑ ↓", "move the crosshair or the selected corner by 1 %; with Shift 5"], ["space, Enter", "add a corner; at the first or last corner, close the mask"],
            ["Backspace", "remove the last corner"], ["Tab", "select a mask"], ["Enter on a mask", "select its next corner; with Shift, the previous one"],
            ["Delete", "remove the selected corner or mask"], ["Escape", "deselect the corner, or cancel the new mask"],
        ]],
        ["Everywhere", [["?", "this list"]]],
    ],

    unreachableServer: "Cannot reach the server.",
};

/**
 * Returns a text with its placeholders filled in. `{count:s}` is empty for a count of 1, otherwise "s".
 * @param {string} text
 * @param {Object<string, string|number>} values
 */
export const say = (text, values = {}) => text.replace(/\{(\w+)(?::(\w+))?\}/g,
    (_, name, plural) => (plural ? (Number(values[name]) === 1 ? "" : plural) : String(values[name] ?? "")));

/** Joins server texts, such as "cannot carry out the request" and "log in", as sentences. @param {...string} parts */
export const sentences = (...parts) => parts.filter(Boolean)
    .map((part) => part.replace(/^[a-z]+ /, (word) => word[0].toUpperCase() + word.slice(1)).replace(/[^.?!…]$/, "$&.")).join(" ");
