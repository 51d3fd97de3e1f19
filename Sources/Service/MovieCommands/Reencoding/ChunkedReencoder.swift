import AssetIO
package import CommandInterface
import FileSystem
import Foundation
import MediaCodecs
import MediaTypes
import MovieFile
import RealTime

/// Carries out a `ReencodeRequest` with several parallel encoders, one per chunk of the movie, and joins their results.
///
/// The chunks are stored in a hidden directory beside the output, which is always removed at the end.
package final class ChunkedReencoder: Reencoding {
    private struct State: Sendable {
        var sessions: [ExportSession] = []
        var isCancelled = false
        var parts = 0
    }

    package let duration: Double
    private let request: ReencodeRequest
    private let chunks: [TimeRange]
    private let hasAudio: Bool
    private let threads: Int
    private let state = Locked(State())

    /// Finds the times at which the movie can be cut. Writes nothing.
    ///
    /// - Parameter count: The number of parallel encoders.
    /// - Throws: The errors of `Reencoder`, and the stage `configuration` for a movie that cannot be encoded in chunks.
    package init(_ request: ReencodeRequest, count: Int) async throws(RecordingFailure) {
        self.request = request
        let whole = try await Reencoder(request)
        duration = whole.duration
        let session = whole.session
        let output = whole.output
        let found = await blockingCall("cuts") { () -> Result<([TimeRange], Bool), MediaError> in
            do throws(MediaError) {
                let hasAudio = try session.checkPartsNow(to: output)
                return .success((try session.chunksNow(count: count), hasAudio))
            } catch { return .failure(error) }
        }
        do throws(MediaError) { (chunks, hasAudio) = try found.get() } catch {
            throw RecordingFailure(Reencoder.stage(error), error)
        }
        threads = max(1, (Processors.available + chunks.count - 1) / chunks.count)
        state.withLock { $0.parts = chunks.count + (hasAudio ? 1 : 0) + 1 }
    }

    /// The progress, from 0 to 1.
    package var progress: Double {
        state.withLock { state in
            state.parts == 0 ? 0 : state.sessions.reduce(0) { $0 + $1.progress } / Double(state.parts)
        }
    }

    /// The beginnings of the chunks, in seconds of the movie.
    package var seams: [Double] { chunks.map(\.start.seconds) }

    package func cancel() {
        let sessions = state.withLock { state in
            state.isCancelled = true
            return state.sessions
        }
        for session in sessions { session.cancelExport() }
    }

    package func run() async throws(RecordingFailure) -> ReencodeSummary {
        let began = ContinuousClock.now
        let directory = PrivateName.beside(request.outputURL.path, for: "chunks")
        guard mkdir(directory, 0o700) == 0 else {
            throw RecordingFailure(.output, MediaError(errno: errno, "cannot create \(directory)"))
        }
        defer { FolderContents.removeAll(directory) }
        let place = URL(fileURLWithPath: directory)
        let files = chunks.indices.map { place.appendingPathComponent("\($0 + 1).mov") }
        let audio = place.appendingPathComponent("audio.mov")
        var jobs = zip(chunks, files).map { (ExportPart.frames($0, threads: threads), $1) }
        if hasAudio { jobs.append((.audio, audio)) }
        let damage = try await encode(jobs)
        let parts = EncodedParts(frames: files, audio: hasAudio ? audio : nil)
        var summary = try await part(.joined(parts), to: request.outputURL)
        summary.damage += damage
        for line in state.withLock({ $0.sessions }).flatMap(\.report.lostInSamples)
        where !summary.leftOut.contains(line) {
            summary.leftOut.append(line)
        }
        summary.seconds = began.duration(to: .now).inSeconds
        return summary
    }

    /// Encodes all chunks at once. The first failure ends the others.
    private func encode(
        _ jobs: [(part: ExportPart, file: URL)]
    ) async throws(RecordingFailure) -> [ReencodeSummary.Damage] {
        let results = await withTaskGroup(of: Result<ReencodeSummary, RecordingFailure>.self) { group in
            for job in jobs {
                group.addTask {
                    do throws(RecordingFailure) {
                        return .success(try await self.part(job.part, to: job.file))
                    } catch { return .failure(error) }
                }
            }
            var results: [Result<ReencodeSummary, RecordingFailure>] = []
            for await result in group {
                results.append(result)
                if case .failure = result { self.cancel() }
            }
            return results
        }
        var damage: [ReencodeSummary.Damage] = []
        for result in results { damage += try result.get().damage }
        return damage.sorted { ($0.track, $0.start) < ($1.track, $1.start) }
    }

    private func part(_ part: ExportPart, to file: URL) async throws(RecordingFailure) -> ReencodeSummary {
        var request = request
        request.output = file
        let reencoder = try await Reencoder(request, part: part)
        let isCancelled = state.withLock { state in
            state.sessions.append(reencoder.session)
            return state.isCancelled
        }
        if isCancelled { reencoder.cancel() }
        return try await reencoder.run()
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
