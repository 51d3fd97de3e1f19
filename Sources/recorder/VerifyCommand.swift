import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import MovieCommands
import Signing

/// `recorder verify`
struct VerifyCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Tells whether films are sound, and as signed.",
        discussion: """
            Decodes everything in a film, and compares it with its tables and with the account that its recorder left; also of films \
            that other programs made. Nothing is written. Exit status 65 where something is wrong, 75 while it is still being \
            recorded, 66 where it cannot be read; of several files the worst.

            With --key it also tells of recordings made with --sign, also torn, repaired and running ones, what is genuine, what \
            was altered or is missing, and when. Give the files of one recording in their order: then a missing one shows.

            With --against it compares a film with the one that it was made of: every picture's time, what some look like, and the \
            sound.
            """)
    static let examples = [
        "recorder verify *.mov", "recorder verify --key front.key.pub lecture.mov",
        "recorder verify lecture-reencoded.mov --against lecture.mov --json",
    ]

    @Argument(help: "Films.", completion: .movie)
    var files: [String]

    @Option(help: ArgumentHelp("The public key of who recorded them.", valueName: "file"), completion: .file())
    var key: String?

    @Flag(help: "Look at signatures alone, and decode nothing.")
    var signatureOnly = false

    @Option(help: ArgumentHelp("The film that this one was made of.", valueName: "file"), completion: .movie)
    var against: String?

    @Option(
        help: ArgumentHelp(
            "How like the source's its pictures must be, 0 to 1: the structural similarity of luma.",
            valueName: "number"))
    var likeness: Double?

    @Flag(help: "One JSON object on standard output.")
    var json = false

    func validate() throws {
        if signatureOnly, key == nil { throw ValidationError("--signature-only needs --key") }
        if signatureOnly, against != nil { throw ValidationError("--against decodes, and --signature-only does not") }
        if against != nil, files.count > 1 { throw ValidationError("--against takes one film, not \(files.count)") }
        if likeness != nil, against == nil { throw ValidationError("--likeness goes with --against") }
        if let likeness, !(0...1).contains(likeness) { throw ValidationError("--likeness is not in 0 to 1") }
    }

    func run() async throws {
        var options = FilmComparisonOptions()
        if let likeness { options.likeness = likeness }
        let job = VerifyJob(
            files: files.map { FilePath.absolute($0) }, key: try publicKey, checksFilms: !signatureOnly,
            against: against.map { FilePath.absolute($0) }, options: options)
        let printsText = !json
        let bar = VerifyBar(files: files.count)
        let answer = await job.run { event in
            switch event {
            case .verified(let verified): if printsText { bar.interrupt { StandardOutput.line(verified.text) } }
            case .checked(let film): if printsText { bar.interrupt { StandardOutput.line(film.text) } }
            case .compared(let comparison): if printsText { bar.interrupt { StandardOutput.line(comparison.text) } }
            case .failed(let error): bar.interrupt { StandardError.line("recorder: \(error)") }
            case .reached(let fraction): bar.reach(fraction)
            case .ended(let count): bar.begin(count)
            }
        }
        bar.interrupt {}
        if json { StandardOutput.line(JSONText.line(answer)) }
        // Each has already been reported.
        if answer.exitCode != .done { throw CommandFailure("", answer.exitCode) }
    }

    private var publicKey: VerificationKey? {
        get throws {
            guard let key else { return nil }
            do throws(MediaError) { return try KeyFile.verificationKey(FilePath.absolute(key)) } catch {
                throw CommandFailure(RecordingFailure(.input, error))
            }
        }
    }
}
