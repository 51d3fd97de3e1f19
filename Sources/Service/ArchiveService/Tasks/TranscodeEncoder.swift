package import AssetIO
import CommandInterface
package import Foundation
package import MediaTypes
import MovieCommands

/// The reason why a movie is not done: an exit code (sysexits(3)) and a line for the user.
package struct TranscodeFailure: Error, Sendable, Hashable {
    package let exit: Int32
    package let reason: String

    package init(_ exit: Int32, _ reason: String) { (self.exit, self.reason) = (exit, reason) }

    init(_ failure: RecordingFailure) {
        // The exit code of a cancelled task means that it is retried. The next start continues with the remaining
        // movies.
        self.init(
            failure.error.code == .cancelled ? ExitCode.busy.rawValue : ExitCode(for: failure).rawValue,
            failure.description)
    }
}

/// Re-encodes movies in this process, as `recorder reencode` does.
package struct TranscodeEncoder: Sendable {
    /// The metadata key of the fingerprint in a copy.
    package static let fingerprintKey = "recorder.archive"

    private let hasBegun: @Sendable (ExportSession) -> Void

    /// Creates an encoder.
    ///
    /// - Parameter hasBegun: Receives each export, so that it can be cancelled.
    package init(hasBegun: @escaping @Sendable (ExportSession) -> Void) { self.hasBegun = hasBegun }

    /// Writes the copy, which must not exist yet.
    ///
    /// - Parameter modified: The source's modification time. It becomes the creation date if the movie has none, so
    ///   that the same plan always produces the same bytes.
    /// - Returns: Descriptions of what the copy lacks, one line each. For a part, only the losses that are found while
    ///   frames are decoded: the task that joins the parts finds the others.
    package func encode(
        _ source: URL, to copy: URL, _ settings: ArchiveSettings, fingerprint: String, modified: Date, part: ExportPart
    ) async throws(TranscodeFailure) -> [String] {
        var request: ReencodeRequest
        do throws(OptionError) { request = try settings.request() } catch {
            throw TranscodeFailure(64, error.description)
        }
        request.inputs = [source]
        request.output = copy
        request.undatedCreationDate = modified
        request.metadata.append(MetadataItem(key: Self.fingerprintKey, value: fingerprint))
        do throws(RecordingFailure) {
            let reencoder = try await Reencoder(request, part: part)
            hasBegun(reencoder.session)
            let leftOut = try await reencoder.run().leftOut
            switch part {
            case .whole, .joined: return leftOut
            case .frames, .audio: return reencoder.session.report.lostInSamples
            }
        } catch { throw TranscodeFailure(error) }
    }

    /// Returns the fingerprint in a copy; nil if it was not made by an archive.
    ///
    /// - Throws: An error if the file cannot be read, such as `notFound` if it no longer exists. If the file is not a
    ///   movie, nil is returned instead.
    package static func fingerprint(of copy: URL) throws(MediaError) -> String? {
        let metadata: [String: String]
        do throws(MediaError) {
            metadata = try MovieSummary(contentsOf: copy).metadata
        } catch {
            guard error.code == .corruptData || error.code == .unsupported else { throw error }
            return nil
        }
        // In an .mp4 file, the key has a prefix that names its owner.
        return metadata.first { $0.key == fingerprintKey || $0.key.hasSuffix(":" + fingerprintKey) }?.value
    }
}
