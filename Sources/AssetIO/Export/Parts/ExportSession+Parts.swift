package import Foundation
package import MediaTypes

extension ExportSession {
    /// Whether the copy can be made of parts, asked before any of them is: what is refused then would be hours later. Blocks as
    /// `Asset.loadNow` does.
    ///
    /// - Parameter url: of the copy.
    /// - Returns: whether one of the parts is sound.
    /// - Throws: as `export` would, without encoding anything; `invalidSettings` for a film that is not to be made of parts.
    @available(*, noasync, message: "call it from a thread that may block")
    package func checkPartsNow(to url: URL, as fileType: FileType? = nil) throws(MediaError) -> Bool {
        let configuration = configuration
        try ExportOutput.check(url, of: asset, overwrites: configuration.overwritesExistingFile)
        return try encodesSoundNow(as: try OutputPath.fileType(fileType, for: url))
    }

    /// The same, before it is known where the copy goes.
    @available(*, noasync, message: "call it from a thread that may block")
    package func encodesSoundNow(as fileType: FileType) throws(MediaError) -> Bool {
        let facts = try ExportFacts(blocking: asset) { self.shared.withLock { $0.state.isCancelled } }
        let plan = try ExportPlan(facts, preset: preset, configuration, fileType: fileType)
        try plan.requirePartible()
        return plan.encodesSound
    }

    /// Where it may be cut into about so many stretches of its time range, in their order. Blocks while key frames are looked for.
    @available(*, noasync, message: "call it from a thread that may block")
    package func stretchesNow(count: Int) throws(MediaError) -> [TimeRange] {
        try StretchCuts.ranges(of: asset, in: configuration.timeRange, count: count)
    }
}
