import MediaTypes

extension FormatDescription {
    /// Returns true if the sample description of another format describes samples of this format. Unspecified values
    /// are not compared.
    func isDescribed(by other: FormatDescription) -> Bool {
        switch (self, other) {
        case (.video(let own), .video(let other)):
            return Self.agree(own.decoderConfiguration, other.decoderConfiguration, own.storedEntry, other.storedEntry)
                && (own.codecTag == other.codecTag || own.codecTag == nil || other.codecTag == nil)
        case (.audio(let own), .audio(let other)):
            return Self.agree(own.decoderConfiguration, other.decoderConfiguration, own.storedEntry, other.storedEntry)
        default: return true
        }
    }

    /// Returns true if this format has a decoder configuration and the other has none.
    func completes(_ other: FormatDescription) -> Bool {
        switch (self, other) {
        case (.video(let own), .video(let other)):
            !own.decoderConfiguration.isEmpty && other.decoderConfiguration.isEmpty
        case (.audio(let own), .audio(let other)):
            !own.decoderConfiguration.isEmpty && other.decoderConfiguration.isEmpty
        default: false
        }
    }

    private static func agree(
        _ own: [UInt8], _ other: [UInt8], _ ownEntry: StoredEntry?, _ otherEntry: StoredEntry?
    ) -> Bool {
        if let ownEntry, let otherEntry { return ownEntry == otherEntry }
        return own.isEmpty || other.isEmpty || own == other
    }

    /// Returns the format of a track's later samples. The values for decoding are from the samples' own format,
    /// `later`. The values for presentation are from this format, which is the track's.
    func changed(to later: FormatDescription) -> FormatDescription {
        switch (self, later) {
        case (.video(var video), .video(let later)):
            if (video.width, video.height) != (later.width, later.height) {
                (video.width, video.height, video.cleanAperture) = (later.width, later.height, later.cleanAperture)
            }
            video.decoderConfiguration = later.decoderConfiguration
            (video.codecTag, video.storedEntry) = (later.codecTag, later.storedEntry)
            return .video(video)
        default: return later
        }
    }
}
