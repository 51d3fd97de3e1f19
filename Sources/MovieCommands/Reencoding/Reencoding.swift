import AssetIO
package import CommandInterface
import Foundation
import MediaCodecs
import RealTime

/// What makes a copy, in one go or in stretches.
package protocol Reencoding: Sendable {
    /// Seconds of film that are exported.
    var duration: Double { get }
    /// The part that is done, 0 to 1.
    var progress: Double { get }
    /// Ends it: `run` throws `cancelled`, and leaves nothing. Any thread.
    func cancel()
    /// Makes the copy. Returns what it became.
    func run() async throws(RecordingFailure) -> ReencodeSummary
}

extension ReencodeRequest {
    /// Looks at the inputs and decides what is to be done, and how many encoders do it. Writes nothing.
    ///
    /// - Throws: with the stage `input` for what cannot be read, `configuration` for what the inputs have not.
    package func reencoding() async throws(RecordingFailure) -> any Reencoding {
        guard let stretches else { return try await Reencoder(self) }
        let whole = try await Reencoder(self)
        let count = stretches.number(
            duration: whole.duration, processors: Processors.available,
            availableMemory: SystemMemory.available)
        // Also of one: whoever named a number learns what cannot be encoded so.
        return stretches == .automatic && count == 1 ? whole : try await StretchedReencoder(self, count: count)
    }
}
