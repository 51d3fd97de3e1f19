// All words that people read, in English. `{name}` is filled in by `say`.
export const texts = {
    title: "recorder",
    watch: "Watch", logOut: "Log out", help: "Keys", theme: "Light or dark",
    loading: "Loading…", close: "Close", cancel: "Cancel", 

    logIn: "Log in", user: "Name", password: "Password",
    noAccounts: "Nobody can log in yet. On the recording machine, `recorder web user add NAME --role operator` makes an account.",

    noRecorders: "No recorder runs, and none has recorded anything. `recorder start` begins one.",
    state: {
        armed: "armed", recording: "recording", paused: "paused", stopping: "stopping", failed: "failed",
        notRunning: "not running", unreachable: "does not answer",
    },
    live: "live", liveWithDelay: "live, {delay} s", reconnecting: "reconnecting…", noPicture: "no picture",
    waiting: "waiting for a picture…", 
    cannotPlay: "This browser cannot play {type}.",
    leftOut: "Not in the live stream: {reason}",
    diskFree: "{size} free", recordedTime: "Recorded", size: "Size", file: "File", frames: "Pictures a second",
    disk: "Disk", delay: "Delay", resolution: "Size of picture", sound: "Sound",
    losses: "Lost: {list}", lost: "Lost", nothing: "nothing",
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
    keysTitle: "Keys", keys: [
        ["m", "mark"], ["p", "pause or go on"], ["s", "snapshot"], ["f", "full screen"], ["u", "sound on or off"],
        ["?", "this list"],
    ],

    problem: "{message}. {wayOut}",
    unreachableServer: "The page's server cannot be reached.",
};

/**
 * A text with its gaps filled in.
 * @param {string} text
 * @param {Object<string, string|number>} values
 */
export const say = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
