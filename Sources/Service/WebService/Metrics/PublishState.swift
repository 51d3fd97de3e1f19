import FileSystem
import Foundation

/// The state of the publisher of one recorder. `recorder-publish@.service` stores it in a file with two lines: `up 1`
/// and `restarts 3`.
struct PublishState: Sendable, Equatable {
    /// True while the stream is being sent.
    let isUp: Bool
    /// The number of times that the stream ended and was started again.
    let restarts: Int64

    /// The maximum size of the file, in bytes.
    private static let most = 256

    /// Parses the file's contents; returns nil for any other text.
    init?(_ text: String) {
        var values: [Substring: Int64] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let value = Int64(words[1]), value >= 0 else { return nil }
            values[words[0]] = value
        }
        guard let up = values["up"], let restarts = values["restarts"] else { return nil }
        isUp = up != 0
        self.restarts = restarts
    }

    /// Reads the file; returns nil if there is none. The publisher runs as another user. Therefore only a regular file
    /// is read, and no link is followed.
    init?(at path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var kind = stat()
        guard fstat(descriptor, &kind) == 0, kind.st_mode & S_IFMT == S_IFREG,
            let bytes = try? file.read(upToCount: Self.most)
        else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the path of the file of a recorder's publisher.
    ///
    /// - Parameter runtime: The directory with the recorders' sockets, `/run/recorder` of the service.
    static func path(of recorder: String, beside runtime: String) -> String { "\(runtime)-publish/\(recorder)/state" }
}
