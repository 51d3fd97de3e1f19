// All words that people read, in English. `{name}` is filled in by `say`.
export const texts = {
    title: "recorder",
    watch: "Watch", find: "Find", recordings: "Recordings", logOut: "Log out", help: "Keys", theme: "Light or dark",
    loading: "Loading…", close: "Close", cancel: "Cancel", retry: "Try again",

    logIn: "Log in", user: "Name", password: "Password",
    noAccounts: "Nobody can log in yet. On the recording machine, `recorder web user add NAME --role operator` makes an account.",

    noRecorders: "No recorder runs, and none has recorded anything. `recorder start` begins one.",
    state: {
        armed: "armed", recording: "recording", paused: "paused", stopping: "stopping", failed: "failed",
        notRunning: "not running", unreachable: "does not answer",
    },
    live: "live", liveWithDelay: "live, {delay} s", reconnecting: "reconnecting…", noPicture: "no picture",
    waiting: "waiting for a picture…", still: "stills",
    cannotPlay: "This browser cannot play {type}.",
    leftOut: "Not in the live stream: {reason}",
    diskFree: "{size} free", recordedTime: "Recorded", size: "Size", file: "File", frames: "Pictures a second",
    disk: "Disk", delay: "Delay", resolution: "Size of picture", sound: "Sound",
    losses: "Lost: {list}", nothingLost: "Nothing lost",
    cause: {
        device: "by the device", queue: "because the encoder was too slow", encoder: "by the encoder",
        corrupt: "damaged by the device", paused: "during pauses", disk: "because the disk was too slow or full",
    },
    pictures: "{count} pictures {cause}", samples: "{count} samples of sound {cause}",
    level: "Level of the sound", noSound: "no sound",
    open: "Open {name}", back: "All recorders",

    action: {
        record: "Record", stop: "Stop", pause: "Pause", resume: "Go on", split: "New file", mark: "Mark",
        save: "Save last", snapshot: "Snapshot",
    },
    done: {
        record: "{name} records.", stop: "{name} has stopped: {file}, {duration}, {bytes}.",
        pause: "{name} is paused.", resume: "{name} goes on.",
        split: "{name} goes on in a new file; {file} is whole, {duration}.",
        mark: "Marked “{title}” at {duration}.", save: "Saved the last {duration} as {file}.",
        snapshot: "The picture is in your downloads.",
    },
    stopTitle: "Stop {name}?", stopText: "The recording ends, and its file is closed.",
    markTitle: "Mark this moment", markLabel: "Title", saveTitle: "Save the last seconds",
    saveLabel: "Seconds", saveHint: "As much as is kept in memory: {seconds} s.",
    notAllowed: "Not now: {name} is {state}.",

    unmute: "Sound on", mute: "Sound off", volume: "Volume", fullScreen: "Full screen", pictureInPicture: "Small window",
    keysTitle: "Keys", keys: [
        ["m", "mark"], ["p", "pause or go on"], ["s", "snapshot"], ["f", "full screen"], ["u", "sound on or off"],
        ["space", "play or pause (in the time line)"], ["j / l", "ten seconds back or on"], [", / .", "a picture back or on"],
        ["+ / −", "zoom the time line"], ["← / →", "move the time line"], ["i / o", "from here, to here"], ["?", "this list"],
    ],

    goTo: "Go to", zoomIn: "Zoom in", zoomOut: "Zoom out", now: "Now", all: "All",
    timeline: "Time line of {name}", timelineHint: "Arrows move, plus and minus zoom, Enter plays.",
    nothingRecorded: "Nothing was recorded then.", nothingYet: "Nothing has been recorded yet.",
    play: "Play", pausePlaying: "Stop playing", speed: "Speed", backTen: "10 s back", onTen: "10 s on",
    frameBack: "A picture back", frameOn: "A picture on", compare: "Compare with", nobody: "nobody",
    fromHere: "From here", toHere: "To here", from: "From", to: "To", cut: "Make one file", stillHere: "Still",
    cutWorking: "Making {file}: {percent} %", cutReady: "{file} is ready: {bytes}.", cutFailed: "No file could be made: {error}",
    download: "Download", clear: "Clear", previous: "Previous recording", next: "Next recording", marks: "Marks",
    endReached: "That is all that was recorded.",

    allRecorders: "All recorders", day: "Day", more: "Show more", noRecordings: "No recordings.",
    indexing: "Looking through the directories: {done} of {total} files.", begin: "Begin", length: "Length", isGrowing: "is being recorded",
    inTimeline: "In the time line", ledger: "What was captured, and what was lost", track: "Track", captured: "Captured",
    written: "Written", lost: "Lost, and why", video: "Pictures", audio: "Samples of sound", noLedger: "This file does not say.",
    ending: "It ended", endings: {
        stopped: "by its owner", split: "and went on in the next file", duration: "because its time was over",
        deviceLost: "because a device went away", diskFull: "because the disk was full", failed: "by an error",
        repaired: "by a crash or a power cut, and was made whole", unknown: "nobody knows why",
    },
    remove: "Delete…", removeTitle: "Delete this recording?",
    removeText: "{file} of {name}, {begin}, {duration}, {bytes}, goes for ever.", removeSure: "Yes, for ever",
    removeNow: "Delete for ever", removed: "{file} is deleted.",
    problem: "{message}. {wayOut}",
    unreachableServer: "The page's server cannot be reached.",
};

/**
 * A text with its gaps filled in.
 * @param {string} text
 * @param {Object<string, string|number>} values
 */
export const say = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
