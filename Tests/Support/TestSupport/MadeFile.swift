public import Foundation
import Glibc

/// Files that other programs generate, such as input movies: each is made once for a run of the tests.
///
/// `scripts/test` runs the suites in several processes, and names a shared directory. A process that was started by
/// hand has one of its own. The first process that needs a file makes it, and others wait for it.
public enum MadeFile {
    /// The directory of the files; it is removed after the run.
    static let directory: URL = {
        if let shared = ProcessInfo.processInfo.environment["TESTS_MADE_FILES"] {
            return URL(fileURLWithPath: shared)
        }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("recorder-test-files-\(getpid())")
        try? FileManager.default.removeItem(at: url)
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: MadeFile.directory) }
        return url
    }()

    /// Returns the file with a name. It must not be changed; a test that changes it uses a copy.
    ///
    /// - Parameter make: makes the file at a path that ends in the same name.
    static func named(_ name: String, make: (String) throws -> Void) throws -> URL {
        let url = directory.appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: url.path) { return url }
        // The kernel releases the lock of a process that ends.
        let lock = open(url.path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Command.Failure(description: "\(name): \(String(cString: strerror(errno)))") }
        defer { close(lock) }
        while flock(lock, LOCK_EX) < 0 && errno == EINTR {}
        if FileManager.default.fileExists(atPath: url.path) { return url }
        // The file is made elsewhere, so that it appears complete.
        let place = directory.appendingPathComponent("making-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let path = place.appendingPathComponent(name).path
        try make(path)
        guard rename(path, url.path) == 0 else {
            throw Command.Failure(description: "\(name) was not made: \(String(cString: strerror(errno)))")
        }
        return url
    }

    /// Returns the file that a command makes. The arguments must describe it fully: they name no other file of this
    /// test.
    ///
    /// - Parameters:
    ///   - command: the arguments without the file's name, which comes last.
    ///   - ending: extension of the name.
    public static func of(_ command: [String], ending: String) throws -> URL {
        try named("\(key(command)).\(ending)") { path in
            let result = try Command.run(command + [path])
            guard result.status == 0 else { throw Command.Failure(description: result.errors) }
        }
    }

    /// Copies such a file, for tests that change it or need it at `url`.
    public static func copy(of command: [String], to url: URL) throws {
        let made = try of(command, ending: url.pathExtension)
        try? FileManager.default.removeItem(at: url)
        try FileManager.default.copyItem(at: made, to: url)
    }

    /// Returns the output of such a command.
    public static func output(_ command: [String]) throws -> Data {
        let url = try named("\(key(command)).out") { path in
            let result = try Command.run(command)
            guard result.status == 0 else { throw Command.Failure(description: result.errors) }
            try result.output.write(to: URL(fileURLWithPath: path))
        }
        return try Data(contentsOf: url)
    }

    /// FNV-1a, twice with different initial values, as a name that is the same in each process.
    private static func key(_ words: [String]) -> String {
        var sums: [UInt64] = [0xCBF2_9CE4_8422_2325, 0x9AE1_6A3B_2F90_404F]
        for byte in words.joined(separator: "\0").utf8 {
            for index in sums.indices { sums[index] = (sums[index] ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return sums.map { String($0, radix: 36) }.joined(separator: "-")
    }
}
