package import Foundation
package import MediaTypes

extension ExportSession {
    /// Checks that the movie can be made of parts. Called before the first part is encoded, because a later refusal
    /// would come only after hours of encoding. Blocks as `Asset.loadNow` does.
    ///
    /// - Parameter url: the file of the movie.
    /// - Returns: true if one of the parts is audio.
    /// - Throws: the errors that `export` would throw before encoding; `invalidSettings` for a movie that cannot be
    ///   made of parts.
    @available(*, noasync, message: "call it from a thread that may block")
    package func checkPartsNow(to url: URL, as fileType: FileType? = nil) throws(MediaError) -> Bool {
        let configuration = configuration
        try ExportOutput.check(url, of: asset, overwrites: configuration.overwritesExistingFile)
        return try encodesAudioNow(as: try OutputPath.fileType(fileType, for: url))
    }

    /// Variant of `checkPartsNow` before the output file is known.
    @available(*, noasync, message: "call it from a thread that may block")
    package func encodesAudioNow(as fileType: FileType) throws(MediaError) -> Bool {
        let facts = try ExportSource(blocking: asset) { self.shared.withLock { $0.state.isCancelled } }
        let plan = try ExportPlan(facts, preset: preset, configuration, fileType: fileType)
        try plan.requirePartible()
        return plan.encodesAudio
    }

    /// Splits the time range into about `count` chunks, and returns them in order. Blocks while it looks for keyframes.
    @available(*, noasync, message: "call it from a thread that may block")
    package func chunksNow(count: Int) throws(MediaError) -> [TimeRange] {
        try ChunkSplitter.ranges(of: asset, in: configuration.timeRange, count: count)
    }
}
