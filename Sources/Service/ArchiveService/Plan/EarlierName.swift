/// Names that earlier versions wrote as keys in plans and accounting. This version still reads these keys. Fingerprints
/// of parts and the name of an unfinished copy still contain the names, so that this version finds the files of earlier
/// runs.
enum EarlierName: String, CodingKey {
    /// A movie in the accounting; also the name of an unfinished copy in its private directory.
    case movie = "film"
    /// The files of a task.
    case movies = "films"
    /// A part with a chunk's frames.
    case frames = "pictures"
    /// A part with the audio.
    case audio = "sound"
}
