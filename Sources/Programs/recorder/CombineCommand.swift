import ArgumentParser
import CommandInterface
import Foundation
import MovieCommands

/// `recorder combine`
struct CombineCommand: AsyncParsableCommand, InterruptibleCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "combine", abstract: "Combines recordings made at the same time.",
        usage: "recorder combine <input> <input> ... -o <output> [--layout <layout>]")
    static let examples = [
        "recorder combine left.mov right.mov -o both.mov",
        "recorder combine speaker.mov slides.mov -o lecture.mp4 --layout picture-in-picture",
    ]

    @Argument(help: "Recordings made by `recorder`; two or more.", completion: .movie)
    var inputs: [String]

    @Option(name: .shortAndLong, help: "Output file.", completion: .movie)
    var output: String

    @Option(help: "Draw all video tracks in one (default: keep each).")
    var layout: CombineLayout?

    @Flag(help: "Replace the output file if it exists.")
    var overwrite = false

    @Flag(help: "Print no progress and no summary.")
    var quiet = false

    @Flag(help: "Print one JSON object.")
    var json = false

    var hearsSignals: Bool { true }
    var recordsLive: Bool { false }

    func validate() throws {
        guard inputs.count > 1 else { throw OptionError("combine needs at least two recordings") }
    }

    func run() async throws {
        Heap.useOne()
        var request = CombineRequest(
            inputs: inputs.map { URL(fileURLWithPath: FilePath.absolute($0)) },
            output: URL(fileURLWithPath: FilePath.absolute(output)))
        (request.layout, request.overwrites) = (layout, overwrite)
        do {
            let combiner = try await Combiner(request)
            let summary = try await ReencodeRun(combiner.reencoder, isQuiet: quiet).run()
            if !quiet { StandardError.line("  \(combiner.account)") }
            StandardOutput.line(json ? JSONText.line(summary) : summary.file)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CombineLayout: ExpressibleByArgument {}
