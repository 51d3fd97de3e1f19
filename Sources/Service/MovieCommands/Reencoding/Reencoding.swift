import AssetIO
package import CommandInterface
import Foundation
import MediaCodecs
import RealTime

/// Makes a copy, in one piece or in chunks.
package protocol Reencoding: Sendable {
    /// The exported duration in seconds.
    var duration: Double { get }
    /// The progress, from 0 to 1.
    var progress: Double { get }
    /// Cancels the run: `run` throws `cancelled`, and leaves no file. Thread-safe.
    func cancel()
    /// Makes the copy and returns the summary.
    func run() async throws(RecordingFailure) -> ReencodeSummary
}

extension ReencodeRequest {
    /// Reads the inputs, decides what to do and how many encoders to use. Writes nothing.
    ///
    /// - Throws: The stage `input` for a file that cannot be read, `usage` for tracks that the inputs lack.
    package func reencoding() async throws(RecordingFailure) -> any Reencoding {
        guard let chunks else { return try await Reencoder(self) }
        let whole = try await Reencoder(self)
        let count = chunks.number(
            duration: whole.duration, processors: Processors.available,
            availableMemory: SystemMemory.available)
        // If the user chose the number, use the chunked encoder even for one chunk, so that it refuses a movie that
        // cannot be encoded in chunks.
        return chunks == .automatic && count == 1 ? whole : try await ChunkedReencoder(self, count: count)
    }
}
