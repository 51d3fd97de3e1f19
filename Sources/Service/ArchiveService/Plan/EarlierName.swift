/// Names in plans and accounting that were written before their keys followed the glossary. They are still read. The
/// fingerprints of parts, and the name of an unfinished copy, still contain them, so that files of earlier runs are found.
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
