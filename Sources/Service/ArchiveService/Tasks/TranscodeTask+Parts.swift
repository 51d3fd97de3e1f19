import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import RealTime

extension TranscodeTask {
    /// Makes a part of a movie. Does nothing if the part exists, or if the movie is done.
    ///
    /// - Returns: The exit code.
    func runPart(_ report: (String) -> Void) async throws(MediaError) -> Int32 {
        guard let movie = task.movies.first, let file = task.partFile(header),
            let fingerprint = task.partFingerprint(header), let (part, _) = try? part([])
        else { return ExitCode.badData.rawValue }
        let clock = MonotonicClock()
        let began = clock.nanoseconds
        let settings = movie.settings ?? header.settings
        let whole = settings.fingerprint(of: movie.identity, program: header.program)
        var outcome = TranscodeSteps.Outcome.found
        // If the movie is done, its parts are not made again: the task that joined them has removed them.
        if !TranscodeAttempt.isThere(movie.output, fingerprint: whole) {
            var partial = movie
            partial.output = file
            var form = settings
            form.container = "mov"
            let work = TranscodeAttempt(
                partial, form, fingerprint: fingerprint, encoder: encoder, judge: PartJudge(), part: part)
            outcome = await work.run()
            work.clean()
        }
        var line: AccountLine
        var code: Int32 = 0
        switch outcome {
        case .made: line = accounting.line(.partMade, task: task.number, movie: movie.source)
        case .found: line = accounting.line(.partFound, task: task.number, movie: movie.source)
        case .failed(let exit, let reason):
            line = accounting.line(.failed, task: task.number, movie: movie.source)
            (line.exit, line.reason, code) = (exit, PlainText.line("\(words): \(reason)"), exit)
        }
        if code == 0 {
            line.bytes = FileMetadata.of(file).map { Int64($0.st_size) }
            line.fingerprint = fingerprint
            if case .frames(let from, let to) = task.work {
                line.duration = (to?.seconds ?? movie.duration) - from.seconds
            }
        }
        line.seconds = Double(clock.nanoseconds - began) / 1e9
        try accounting.append(line)
        report("\(movie.source.display), \(words): \(line.event.rawValue)" + (line.reason.map { ": \($0)" } ?? ""))
        return code
    }

    private var words: String {
        switch task.work {
        case .frames(let from, let to):
            "frames from \(NumberText.duration(from.seconds)) to "
                + (to.map { NumberText.duration($0.seconds) } ?? "the end")
        case .audio: "audio"
        case .movies, .join: "complete movie"
        }
    }

    /// Returns the part of the movie that the export has to make, with the files to be joined. The paths of these files
    /// are valid as long as the returned `borrowed` objects exist.
    ///
    /// - Parameter parts: The tasks that made the files to be joined.
    func part(_ parts: [ArchivePlan.Task]) throws(TranscodeFailure) -> (part: ExportPart, borrowed: [BorrowedPath]) {
        switch task.work {
        case .movies: return (.whole, [])
        case .audio: return (.audio, [])
        case .frames(let from, let to):
            return (.frames(TimeRange(start: from, end: to ?? .positiveInfinity), threads: nil), [])
        case .join(let after):
            guard parts.count == after.count else {
                throw TranscodeFailure(66, "a task that makes one of its parts is not in the plan")
            }
            var joined = EncodedParts()
            var borrowed: [BorrowedPath] = []
            for task in parts {
                guard let file = task.partFile(header) else { continue }
                guard FileMetadata.of(file) != nil, let path = try? BorrowedPath(file) else {
                    throw TranscodeFailure(
                        66, "the part that task \(task.number) made no longer exists: resume the plan")
                }
                borrowed.append(path)
                if task.work == .audio { joined.audio = path.url } else { joined.frames.append(path.url) }
            }
            return (.joined(joined), borrowed)
        }
    }

    /// Returns what the parts lack, one line each, as the tasks that made them recorded it.
    ///
    /// - Parameter parts: The tasks that made the parts.
    func losses(of parts: [ArchivePlan.Task]) throws(TranscodeFailure) -> [String] {
        do throws(MediaError) {
            var lines: [String] = []
            for task in parts {
                if let file = task.partFile(header) { lines += try PartLosses(of: file).read() }
            }
            return lines
        } catch { throw TranscodeFailure(RecordingFailure(.input, error)) }
    }
}

/// Checks that a part is finished. Does not compare the part with the source, because the joined copy is compared
/// later.
struct PartJudge: TranscodeJudging {
    func faults(of copy: URL, source: URL) throws(TranscodeFailure) -> [String] {
        do throws(MediaError) {
            return try MovieSummary(contentsOf: copy).health == .whole ? [] : ["the part is unfinished"]
        } catch { throw TranscodeFailure(RecordingFailure(.output, error)) }
    }
}
