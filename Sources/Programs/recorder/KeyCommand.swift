import ArgumentParser
import CommandInterface
import MediaTypes
import Signing

/// `recorder key`
struct KeyCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Creates keys that sign recordings.",
        subcommands: [KeyNewCommand.self])
    static let examples = ["recorder key new --output /etc/recorder/front.key"]
}

/// `recorder key new`
struct KeyNewCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Creates a secret key for signing recordings, and its public key for verifying them.",
        discussion: """
            FILE is the recorder's secret key, readable only by its owner. FILE.pub is the public key, for those who verify \
            recordings. Both are Ed25519 in PEM. An existing file is never replaced.
            """)
    static let examples = ["recorder key new --output /etc/recorder/front.key"]

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("File for the secret key; FILE.pub gets the public one.", valueName: "file"),
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
