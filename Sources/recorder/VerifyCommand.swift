import ArgumentParser
import CommandInterface
import MediaTypes
import MovieCommands
import Signing

/// `recorder verify`
struct VerifyCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Tells whether recordings are as they were signed.",
        discussion: """
            Reads every byte of recordings made with --sign, also torn, repaired and running ones, and says what is genuine, what \
            was altered or is missing, and when. Exit status 65 when a file is not genuine.

            Give the files of one recording in their order: then a missing one shows.
            """)
    static let examples = [
        "recorder verify --key front.key.pub lecture.mov", "recorder verify --key front.key.pub *.mov --json",
    ]

    @Argument(help: "Signed recordings.", completion: .movie)
    var files: [String]

    @Option(help: ArgumentHelp("The public key of who recorded them.", valueName: "file"), completion: .file())
    var key: String

    @Flag(help: "One JSON object on standard output.")
    var json = false

    func run() throws {
        let (answer, failure) = VerifyJob(files: files.map { FilePath.absolute($0) }, key: try publicKey).run { event in
            switch event {
            case .verified(let verified): if !json { StandardOutput.line(verified.text) }
            case .failed(let error): StandardError.line("recorder: \(error)")
            }
        }
        if json { StandardOutput.line(JSONText.line(answer)) }
        // Each has been told.
        if let failure { throw CommandFailure("", ExitCode(for: failure)) }
        if answer.files.contains(where: { $0.verdict != .genuine }) { throw CommandFailure("", .badData) }
    }

    private var publicKey: VerificationKey {
        get throws {
            do throws(MediaError) { return try KeyFile.verificationKey(FilePath.absolute(key)) } catch {
                throw CommandFailure(RecordingFailure(.input, error))
            }
        }
    }
}
