public import MediaTypes

/// What happens in a writer that nobody asked about.
public enum AssetWriterEvent: Sendable {
    /// The first fragment is in the file and synced: from here on the recording exists.
    case began
    /// One track ended early; the others go on.
    case inputFailed(MediaType, MediaError)
    /// The writer failed; what was synced stays.
    case failed(MediaError)
    /// The movie is whole.
    case completed
}
