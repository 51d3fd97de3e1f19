import MediaTypes
import MovieFile

extension MovieDemuxer.Track {
    /// Keeps the entry that describes the track where its format does not say all that a copy needs.
    ///
    /// - Parameter entries: of its sample description table.
    mutating func keepEntry(of entries: [StoredEntry]) {
        guard let entry = entries.first,
            FormatDescription.needsStoredEntry(codec: codecName, code: entry.code)
        else { return }
        switch format {
        case .video(var video):
            video.storedEntry = entry
            format = .video(video)
        case .audio(var audio) where audio.pcm == nil:
            audio.storedEntry = entry
            format = .audio(audio)
        default: break
        }
    }
}
