import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import MovieCommands
import Signing

/// `recorder verify`
struct VerifyCommand: AsyncParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Checks movies for damage, and verifies signatures.",
        discussion: """
            Decodes everything in a file, and compares the result with the file's tables and its recorder's drop \
            counts. Movies of other programs work too. Nothing is written. The exit status is 65 if something is \
            wrong, 75 if the file is still being recorded, and 66 if it cannot be read. If several files are given, the \
            worst file decides the exit status.

            With --key it also verifies recordings made with --sign, including unfinished, repaired and running ones. \
            It reports whether they are genuine, and which time ranges were altered or are missing. Give the files of \
            one recording in order, so that a missing file is detected.

            With --against it compares a file with its source: the time of every frame, the pixels of some frames, \
            and the audio.
            """)
    static let examples = [
        "recorder verify *.mov", "recorder verify --key front.key.pub lecture.mov",
        "recorder verify lecture-reencoded.mov --against lecture.mov --json",
    ]

    @Argument(help: "Movies to check.", completion: .movie)
    var files: [String]

    @Option(help: ArgumentHelp("Public key of the recorder that signed them.", valueName: "file"), completion: .file())
    var key: String?

    @Flag(help: "Check only the signatures; decode nothing.")
    var signatureOnly = false

    @Option(help: ArgumentHelp("Compare the file with this source.", valueName: "file"), completion: .movie)
    var against: String?

    @Option(
        name: .customLong("min-ssim"),
        help: ArgumentHelp(
            "Minimum mean SSIM (luma) of the frames compared with --against, 0 to 1 (default: 0.85).",
            valueName: "number"))
    var minimumSSIM: Double?

    // An earlier name of --min-ssim, which is refused.
    @Option(help: .private) var likeness: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        if likeness != nil { throw ValidationError("--likeness is now --min-ssim") }
        if signatureOnly, key == nil { throw ValidationError("--signature-only needs --key") }
        if signatureOnly, against != nil {
            throw ValidationError("--against cannot be used with --signature-only, which decodes nothing")
        }
        if against != nil, files.count > 1 { throw ValidationError("--against compares one file, not \(files.count)") }
        if minimumSSIM != nil, against == nil { throw ValidationError("--min-ssim needs --against") }
        if let minimumSSIM, !(0...1).contains(minimumSSIM) {
            throw ValidationError("--min-ssim must be from 0 to 1")
        }
    }

    func run() async throws {
        var options = MovieComparisonOptions()
        if let minimumSSIM { options.minimumSSIM = minimumSSIM }
        let job = VerifyJob(
            files: files.map { FilePath.absolute($0) }, key: try publicKey, checksMovies: !signatureOnly,
            against: against.map { FilePath.absolute($0) }, options: options)
        let printsText = !json
        let bar = VerifyBar(files: files.count)
        let answer = await job.run { event in
            switch event {
            case .verified(let verified): if printsText { bar.interrupt { StandardOutput.line(verified.text) } }
            case .checked(let movie): if printsText { bar.interrupt { StandardOutput.line(movie.text) } }
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
