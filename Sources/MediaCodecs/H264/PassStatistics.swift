package import Foundation
package import MediaTypes

/// Which part of a two-pass encoding an encoder does.
package enum EncodingPass: Sendable, Hashable {
    /// The only one.
    case single
    /// Finds out how hard each picture is, and writes that to a file. Its packets are not for the movie.
    case first(statistics: String)
    /// Encodes the same pictures again, with their bits shared out by what the first pass found.
    case second(statistics: String)
}

/// The files that carry what a first pass learned to the second. They are gone when the last reference is.
///
/// x264 writes `NAME` and `NAME.mbtree`, each under `NAME….temp` until the first pass has ended.
package final class PassStatistics: Sendable {
    /// A directory of its own, so that nobody else's names matter.
    private let directory: URL

    /// - Parameter parent: where the files may lie; it must exist.
    /// - Throws: `cannotCreate`.
    package init(in parent: URL) throws(MediaError) {
        directory = parent.appendingPathComponent("recorder-pass-\(UUID().uuidString)", isDirectory: true)
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw MediaError(
                .cannotCreate, "cannot keep the statistics of a first pass in \(parent.path)",
                reason: (error as NSError).localizedDescription,
                wayOut: "name another directory for temporary files")
        }
    }

    /// Of the main file, for both passes.
    package var path: String { directory.appendingPathComponent("x264.stats").path }

    package var firstPass: EncodingPass { .first(statistics: path) }
    package var secondPass: EncodingPass { .second(statistics: path) }

    deinit { try? FileManager.default.removeItem(at: directory) }
}
