package import Foundation
package import MediaTypes

/// The pass of a two-pass encoding.
package enum EncodingPass: Sendable, Hashable {
    /// The only pass.
    case single
    /// The first pass: measures the complexity of each frame and writes it to a file. Its packets are discarded.
    case first(statistics: String)
    /// The second pass: encodes the same frames again, and distributes the bits according to the statistics of the
    /// first pass.
    case second(statistics: String)
}

/// The files that carry the statistics from a first pass to the second pass. The files are deleted when the last
/// reference to this object is released.
///
/// x264 writes `NAME` and `NAME.mbtree`. Until the first pass has ended, their names end with `.temp`.
package final class PassStatistics: Sendable {
    /// The directory of the files. No other files are in it, so that names cannot collide.
    private let directory: URL

    /// - Parameter parent: the directory for the files; it must exist.
    /// - Throws: `cannotCreate` if the directory cannot be created.
    package init(in parent: URL) throws(MediaError) {
        directory = parent.appendingPathComponent("recorder-pass-\(UUID().uuidString)", isDirectory: true)
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw MediaError(
                .cannotCreate, "cannot store the statistics of a first pass in \(parent.path)",
                reason: (error as NSError).localizedDescription,
                wayOut: "use another directory for temporary files")
        }
    }

    /// The path of the main file, for both passes.
    package var path: String { directory.appendingPathComponent("x264.stats").path }

    package var firstPass: EncodingPass { .first(statistics: path) }
    package var secondPass: EncodingPass { .second(statistics: path) }

    deinit { try? FileManager.default.removeItem(at: directory) }
}
