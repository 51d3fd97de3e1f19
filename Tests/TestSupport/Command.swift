public import Foundation

/// Runs another program to its end and keeps what it printed.
public struct Command: Sendable {
    public let status: Int32
    public let output: Data
    public let errors: String

    public var text: String { String(decoding: output, as: UTF8.self) }

    /// - Parameter arguments: the program, looked up in `PATH`, and its arguments.
    /// - Throws: when it cannot be started; its exit status is for the caller to judge.
    public static func run(_ arguments: String..., input: Data? = nil) throws -> Command {
        try run(arguments, input: input)
    }

    public static func run(_ arguments: [String], input: Data? = nil) throws -> Command {
        // Files, not pipes: whatever the program prints, and in whichever order, nobody waits for anybody.
        let directory = try TemporaryDirectory()
        let (out, err, source) = (directory.path("out"), directory.path("err"), directory.path("in"))
        try (input ?? Data()).write(to: URL(fileURLWithPath: source))
        var launch = ChildProgram.Launch(arguments[0], Array(arguments.dropFirst()))
        (launch.input, launch.output, launch.errors) = (source, out, err)
        let status = try ChildProgram(launch).wait()
        return Command(
            status: status,
            output: try Data(contentsOf: URL(fileURLWithPath: out)),
            errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: err)), as: UTF8.self))
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }
}
