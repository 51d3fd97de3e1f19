import MediaTypes
import MovieFile

extension MovieDemuxer.Track {
    /// Keeps the sample descriptions that a remux needs, because the track's format lacks some of their values. If a
    /// track has several descriptions, all of them are kept. The first one is always kept, for exact copies.
    ///
    /// - Parameter entries: the track's sample description table.
    mutating func keepEntries(_ entries: [StoredEntry]) {
        (entryCount, firstEntry) = (entries.count, entries.first)
        if mediaType == .video {
            let known = Set(uncopied + entries.flatMap { UncopiedDescription.all(in: $0) })
            uncopied = UncopiedDescription.allCases.filter(known.contains)
        }
        guard let first = format, let entry = entries.first, mediaType == .video || mediaType == .audio else { return }
        if entries.count > 1 {
            let own = first.stored(as: entry)
            let others = entries.dropFirst().map { other in
                own.described(by: StoredDescription(other, mediaType: mediaType)).stored(as: other)
            }
            formats = [own.sized(as: StoredDescription(entry, mediaType: mediaType))] + others
            format = formats[0]
        } else if FormatDescription.needsStoredEntry(codec: codecName, code: entry.code) {
            format = first.stored(as: entry)
        }
    }
}

extension FormatDescription {
    /// Returns the format with the frame size of its own sample description. libavformat gives the first description
    /// the size of the last.
    fileprivate func sized(as entry: StoredDescription) -> FormatDescription {
        guard case .video(var video) = self, entry.width > 0, entry.height > 0 else { return self }
        (video.width, video.height) = (entry.width, entry.height)
        return .video(video)
    }

    fileprivate func stored(as entry: StoredEntry) -> FormatDescription {
        switch self {
        case .video(var video):
            video.storedEntry = entry
            return .video(video)
        case .audio(var audio) where audio.pcm == nil:
            audio.storedEntry = entry
            return .audio(audio)
        default: return self
        }
    }
}
