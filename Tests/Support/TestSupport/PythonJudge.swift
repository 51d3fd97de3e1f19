import Foundation

/// Programs in Tests/Judges, with the packages that `scripts/setup test` installed for them.
public enum PythonJudge {
    public static func run(_ name: String, _ arguments: String...) throws -> Command { try run(name, arguments) }

    public static func run(_ name: String, _ arguments: [String]) throws -> Command {
        let python = Project.path(".build/judges/bin/python")
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Command.Failure(description: "no \(python); `scripts/setup test` makes it")
        }
        return try Command.run([python, Project.path("Tests/Judges/\(name)")] + arguments)
    }
}
