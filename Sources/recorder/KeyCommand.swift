import ArgumentParser
import CommandInterface
import MediaTypes
import Signing

/// `recorder key`
struct KeyCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Makes the key that recordings are signed with.",
        subcommands: [KeyNewCommand.self])
    static let examples = ["recorder key new --output /etc/recorder/front.key"]
}

/// `recorder key new`
struct KeyNewCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Makes a key, and the public one that proves what it signed.",
        discussion: """
            FILE is the recorder's secret and readable by its owner alone; FILE.pub goes to whoever verifies recordings. Both are \
            Ed25519 in PEM. An existing file is never replaced.
            """)
    static let examples = ["recorder key new --output /etc/recorder/front.key"]

    @Option(
        name: [.short, .customLong("output")], help: ArgumentHelp("Where the secret goes.", valueName: "file"),
        completion: .file())
    var output: String

    func run() throws {
        let path = FilePath.absolute(output)
        do throws(MediaError) {
            let key = try KeyFile.make(path)
            StandardOutput.line("\(path).pub (\(key.publicKey.fingerprint)); keep \(path) secret")
        } catch {
            throw CommandFailure(RecordingFailure(.output, error))
        }
    }
}
