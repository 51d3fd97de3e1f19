public import Foundation

/// Runs another program to its end and keeps its output.
public struct Command: Sendable {
    public let status: Int32
    public let output: Data
    public let errors: String

    public var text: String { String(decoding: output, as: UTF8.self) }

    /// - Parameter arguments: the program, looked up in `PATH`, and its arguments.
    /// - Throws: an error if it cannot be started. The caller checks the exit status.
    public static func run(_ arguments: String..., input: Data? = nil) throws -> Command {
        try run(arguments, input: input)
    }

    public static func run(_ arguments: [String], input: Data? = nil) throws -> Command {
        // Files are used, not pipes: the program never blocks, whatever it prints in whichever order.
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
