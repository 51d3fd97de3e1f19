import Foundation
import Testing

/// Runs programs of the host's tree inside the lab.
enum Program {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    /// The `recorder` that was built with these tests.
    static var recorder: String {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("recorder").path
    }

    /// Starts a program; its output goes to files, so that it never waits for a reader.
    static func start(_ path: String, _ arguments: [String], log: URL? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path.hasPrefix("/") ? path : "/usr/bin/env")
        process.arguments = path.hasPrefix("/") ? arguments : [path] + arguments
        process.standardInput = FileHandle.nullDevice
        if let log {
            try Data().write(to: log)
            process.standardOutput = try FileHandle(forWritingTo: log)
            process.standardError = process.standardOutput
        } else {
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
        }
        try process.run()
        return process
    }

    @discardableResult
    static func run(_ path: String, _ arguments: [String]) throws -> Result {
        let directory = try TemporaryPlace()
        let output = directory.file("output")
        let errors = directory.file("errors")
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path.hasPrefix("/") ? path : "/usr/bin/env")
        process.arguments = path.hasPrefix("/") ? arguments : [path] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}

/// A directory that goes away with its test.
final class TemporaryPlace {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("device-lab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
