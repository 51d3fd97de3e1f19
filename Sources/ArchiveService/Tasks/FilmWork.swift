package import AssetIO
import CommandInterface
package import Foundation
import MediaTypes
package import MovieCommands

/// Encodes a film: what a test replaces.
package protocol FilmEncoding: Sendable {
    /// Writes the copy, which is not there before.
    ///
    /// - Parameter modified: when the source was, which is when the film was made where it does not say so itself: the same plan
    ///   gives the same bytes whenever it is run.
    func encode(
        _ source: URL, to copy: URL, _ settings: ArchiveSettings, fingerprint: String, modified: Date, part: ExportPart
    ) async throws(FilmFailure) -> ReencodeSummary
}

/// Judges a copy by its source.
package protocol FilmJudging: Sendable {
    /// - Returns: what is wrong with the copy, a line each.
    func faults(of copy: URL, source: URL, settings: ArchiveSettings) async throws(FilmFailure) -> [String]
}

/// Why a film is not done, as an exit code of sysexits(3) and a line for people.
package struct FilmFailure: Error, Sendable, Hashable {
    package let exit: Int32
    package let reason: String

    package init(_ exit: Int32, _ reason: String) { (self.exit, self.reason) = (exit, reason) }

    init(_ failure: RecordingFailure) {
        // Somebody ended the task: whoever starts it again finds the rest.
        self.init(
            failure.error.code == .cancelled ? ExitCode.busy.rawValue : ExitCode(for: failure).rawValue,
            failure.description)
    }
}

/// `recorder reencode` inside of this process.
package struct FilmEncoder: FilmEncoding {
    /// Where the fingerprint stands in a copy.
    package static let fingerprintKey = "recorder.archive"

    private let hasBegun: @Sendable (ExportSession) -> Void

    /// - Parameter hasBegun: gets each export, to cancel it.
    package init(hasBegun: @escaping @Sendable (ExportSession) -> Void = { _ in }) { self.hasBegun = hasBegun }

    package func encode(
        _ source: URL, to copy: URL, _ settings: ArchiveSettings, fingerprint: String, modified: Date, part: ExportPart
    ) async throws(FilmFailure) -> ReencodeSummary {
        var request: ReencodeRequest
        do throws(OptionError) { request = try settings.request() } catch { throw FilmFailure(64, error.description) }
        request.inputs = [source]
        request.output = copy
        request.undatedCreationDate = modified
        request.metadata.append(MetadataItem(key: Self.fingerprintKey, value: fingerprint))
        do throws(RecordingFailure) {
            let reencoder = try await Reencoder(request, part: part)
            hasBegun(reencoder.session)
            return try await reencoder.run()
        } catch { throw FilmFailure(error) }
    }

    /// What stands in a copy; nil where it is none of an archive's.
    package static func fingerprint(of copy: URL) -> String? {
        guard let facts = try? MovieSummary(contentsOf: copy).metadata else { return nil }
        // In an .mp4 whose a fact is stands in front of it.
        return facts.first { $0.key == fingerprintKey || $0.key.hasSuffix(":" + fingerprintKey) }?.value
    }
}
