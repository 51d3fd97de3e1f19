import Foundation
import TestSupport

/// The `recorder` that was built with these tests, run inside the lab.
enum Program {
    static var recorder: String {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("recorder").path
    }

    @discardableResult
    static func run(_ program: String, _ arguments: [String]) throws -> Command {
        try Command.run([program] + arguments)
    }
}
