import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests that an export that is cancelled or fails ends exactly once and leaves nothing: no file, thread, descriptor or
/// memory.
@Suite(.serialized) struct CancelledExportTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    /// A path through the exporter.
    enum Way: String, CaseIterable, CustomStringConvertible {
        case encoded, atAFrameRate, passthrough, twoPass, fittedIntoBytes, optimizedForNetwork
        var description: String { rawValue }

        func session(_ asset: Asset) throws -> ExportSession {
            let session = try ExportSession(asset: asset, preset: self == .passthrough ? .passthrough : .lowQuality)
            try session.configure { configuration in
                switch self {
                case .encoded, .passthrough: break
                case .atAFrameRate: configuration.frameRate = 20
                case .twoPass:
                    configuration.videoSettings = VideoSettings(rateControl: .bitRate(200_000), preset: "ultrafast")
                    configuration.performsMultiPassEncodingIfSupported = true
                case .fittedIntoBytes: configuration.fileLengthLimit = 300_000
                case .optimizedForNetwork: configuration.shouldOptimizeForNetworkUse = true
                }
            }
            return session
        }
    }

    private func movie() throws -> URL {
        try fixture.make(
            "movie.mov", ["testsrc2=s=192x108:r=25:d=10", "sine=f=440:r=48000:d=10"],
            ["-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac"])
    }

    /// A read that takes long, such as a search in a file without an index on a slow disk.
    @Test func cancel_readInProgress_returnsAtOnceAndClosesTheFileLater() throws {
        let directory = try TemporaryDirectory()
        try Data([0]).write(to: directory.file("source.mov"))
        let disk = Locked(SlowSource.Disk())
        let output = SlowOutput(disk)
        let reader = try AssetReader(asset: Asset(url: directory.file("source.mov")))
        try reader.add(output)
        try reader.startReading()
        let source = try TranscodeSource(
            output, of: reader, range: TimeRange(start: .zero, end: .positiveInfinity), steps: nil)
        let reading = try NamedThread("read") { _ = try? source.next() }
        #expect(eventually { disk.withLock { $0.isRead } })
        let isCancelled = Locked(false)
        let cancelling = try NamedThread("cancel") {
            source.cancel()
            isCancelled.withLock { $0 = true }
        }
        #expect(eventually { isCancelled.withLock { $0 } })
        #expect(disk.withLock { $0.isOpen } && reader.status == .cancelled)
        disk.withLock { $0.isReady = true }
        disk.broadcast()
        for thread in [reading, cancelling] { thread.join() }
        #expect(!disk.withLock { $0.isOpen })
    }

    /// A file that another program has put in the place of the trial file is kept.
    @Test func failedExport_trialReplacedByAnotherProgram_keepsTheirs() async throws {
        let movie = MemoryStorage()
        try Recording.short.write(to: movie)
        try MovieFinisher.finish(movie, facts: Recording.short.facts)
        let directory = try TemporaryDirectory()
        try Data(movie.bytes).write(to: directory.file("source.mov"))
        let session = try ExportSession(asset: Asset(url: directory.file("source.mov")), preset: .passthrough)
        let theirs = directory.path("theirs")
        try session.complete { path throws(MediaError) in
            _ = FileManager.default.createFile(atPath: theirs, contents: Data("precious".utf8))
            try DiskFile.rename(theirs, to: path, replacing: true)
            throw MediaError(.diskFull, "cannot add to the movie", reason: "the test says so")
        }
        await #expect(throws: MediaError.self) { try await session.export(to: directory.file("copy.mov")) }
        let left = directory.names.filter { $0 != "source.mov" }
        #expect(left.count == 1 && left[0].hasSuffix(".trial.mov"), "\(left)")
        #expect(try Data(contentsOf: directory.file(left[0])) == Data("precious".utf8))
    }

    /// Exports, cancels after `delay` and returns the error of `export`; nil if the movie was complete before that.
    private func cancelled(
        _ session: ExportSession, to copy: URL, after delay: UInt64, cancel: (Task<Void, any Error>) -> Void
    ) async throws -> MediaError? {
        let completions = Locked(0)
        let task = Task {
            defer { completions.withLock { $0 += 1 } }
            try await session.export(to: copy)
        }
        try await Task.sleep(nanoseconds: delay)
        cancel(task)
        var failure: MediaError?
        do { try await task.value } catch { failure = try #require(error as? MediaError) }
        #expect(completions.withLock { $0 } == 1)
        return failure
    }

    // MARK: Random moments

    @Test func export_cancelledAtRandomTimes_endsOnceAndLeavesNothing() async throws {
        let seed = UInt64.random(in: 1...(.max))
        print("CancelledExportTests: seed \(seed)")
        var random = SeededNumbers(seed: seed)
        let source = try movie()
        let copy = fixture.directory.file("copy.mov")
        var before: [String] = []
        var used: [Int] = []
        var cancelled = 0
        for round in 0..<50 {
            let way = Way.allCases[round % Way.allCases.count]
            let session = try way.session(Asset(url: source))
            let delay = random.next() % 400_000_000
            let failure = try await self.cancelled(session, to: copy, after: delay) { task in
                if round % 2 == 0 { session.cancelExport() } else { task.cancel() }
            }
            if let failure {
                cancelled += 1
                #expect(failure.code == .cancelled, "\(way), seed \(seed), round \(round): \(failure)")
                #expect(session.status == .cancelled && session.error == nil)
                #expect(fixture.directory.names == ["movie.mov"], "\(way), seed \(seed), round \(round)")
            } else {
                #expect(session.status == .completed && session.progress == 1)
                let probe = try Probe(copy.path, decodes: true)
                #expect(probe.complaints == "" && (probe.video?.seconds ?? 0) > 9.9)
                #expect(fixture.directory.names == ["copy.mov", "movie.mov"])
                try FileManager.default.removeItem(at: copy)
            }
            #expect(eventually { Resources.ourThreads.isEmpty }, "\(way), round \(round): \(Resources.ourThreads)")
            // Resources that the process opens once, such as Dispatch's timers, are open after two rounds of each way.
            if round == 12 { before = Resources.descriptors }
            used.append(Resources.memoryInUse)
        }
        #expect(cancelled > 10)
        #expect(eventually { Resources.descriptors == before }, "\(Resources.descriptors) for \(before)")
        #expect(Resources.passStatistics.isEmpty)
        // Memory is flat over the second half: a leak of one small frame in each round would be seven hundred
        // kilobytes.
        let middle = used[20..<25].max() ?? 0
        #expect(eventually { Resources.memoryInUse < middle + 512 * 1024 }, "\(used)")
    }

    // MARK: Chosen moments

    @Test func export_cancelledBeforeItBegins_touchesNothing() async throws {
        let source = try movie()
        let session = try ExportSession(asset: Asset(url: source))
        session.cancelExport()
        session.cancelExport()
        #expect(session.status == .cancelled)
        let error = await #expect(throws: MediaError.self) {
            try await session.export(to: fixture.directory.file("copy.mov"))
        }
        #expect(error?.code == .cancelled && session.status == .cancelled && session.error == nil)
        #expect(fixture.directory.names == ["movie.mov"])
    }

    @Test func export_cancelledTask_touchesNothing() async throws {
        let source = try movie()
        let session = try ExportSession(asset: Asset(url: source))
        let copy = fixture.directory.file("copy.mov")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await session.export(to: copy)
        }
        task.cancel()
        let error = await #expect(throws: MediaError.self) { try await task.value }
        #expect(error?.code == .cancelled && session.status == .cancelled)
        #expect(fixture.directory.names == ["movie.mov"])
    }

    @Test(arguments: Way.allCases) func export_cancelledSeveralTimes_endsOnce(way: Way) async throws {
        let session = try way.session(Asset(url: try movie()))
        let copy = fixture.directory.file("copy.mov")
        let task = Task { try await session.export(to: copy) }
        #expect(eventually { fixture.directory.names.count > 1 })
        for _ in 0..<4 { session.cancelExport() }
        task.cancel()
        let error = await #expect(throws: MediaError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(fixture.directory.names == ["movie.mov"])
        session.cancelExport()
        #expect(session.status == .cancelled)
    }

    @Test func export_cancelledAfterAudioEnds_leavesNothing() async throws {
        let source = try fixture.make(
            "movie.mov", ["testsrc2=s=640x360:r=25:d=20", "sine=d=0.2"],
            ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"])
        let session = try ExportSession(asset: Asset(url: source))
        let copy = fixture.directory.file("copy.mov")
        let task = Task { try await session.export(to: copy) }
        // Progress is that of the slowest unfinished track: a fiftieth of the movie is after the end of the audio.
        #expect(eventually { session.progress > 0.02 || session.status != .exporting })
        session.cancelExport()
        let error = await #expect(throws: MediaError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(fixture.directory.names == ["movie.mov"])
    }

    @Test func export_sessionReleased_completes() async throws {
        let source = try movie()
        let copy = fixture.directory.file("copy.mov")
        var session: ExportSession? = try ExportSession(asset: Asset(url: source), preset: .lowQuality)
        weak let dropped = session
        let task = Task { [session] in try await session?.export(to: copy) }
        session = nil
        try await task.value
        #expect(eventually { dropped == nil && Resources.ourThreads.isEmpty })
        #expect(try Probe(copy.path, decodes: true).video?.frames == 250)
    }

    @Test func export_replacementCancelled_keepsTheOldFile() async throws {
        let session = try ExportSession(asset: Asset(url: try movie()))
        try session.configure { $0.overwritesExistingFile = true }
        let copy = fixture.directory.file("copy.mov")
        try Data([1, 2, 3]).write(to: copy)
        let task = Task { try await session.export(to: copy) }
        #expect(eventually { fixture.directory.names.count > 2 })
        task.cancel()
        await #expect(throws: MediaError.self) { try await task.value }
        #expect(try Data(contentsOf: copy) == Data([1, 2, 3]))
        #expect(fixture.directory.names == ["copy.mov", "movie.mov"])
    }

    // MARK: Failures

    @Test(arguments: Way.allCases) func export_damageInTheMiddle_failsOnceAndLeavesNoFile(way: Way) async throws {
        let source = try movie()
        var bytes = try Data(contentsOf: source)
        let damaged = bytes.count / 2..<bytes.count / 4 * 3
        bytes.replaceSubrange(damaged, with: [UInt8](repeating: 0xFF, count: damaged.count))
        try bytes.write(to: source)
        let session = try way.session(Asset(url: source))
        do {
            try await session.export(to: fixture.directory.file("copy.mov"))
            // Passthrough does not decode the packets.
            #expect(way == .passthrough)
        } catch {
            #expect(error.code == .corruptData && session.status == .failed && session.error == error)
            #expect(fixture.directory.names == ["movie.mov"])
        }
        #expect(eventually { Resources.ourThreads.isEmpty })
    }

    @Test(arguments: [1, 2, 5, 9]) func export_diskFull_failsOnceAndLeavesNoFile(failingWrite: Int) async throws {
        let source = try movie()
        let error = await #expect(throws: MediaError.self) {
            try await transcode(source) { path throws(MediaError) in try FaultyDisk(path, failingWrite: failingWrite) }
        }
        #expect(error?.code == .diskFull)
        #expect(fixture.directory.names == ["movie.mov"])
        #expect(eventually { Resources.ourThreads.isEmpty })
    }

    /// Runs the steps of an export by passthrough, with another disk for its writer.
    private func transcode(
        _ source: URL, disk: @escaping @Sendable (String) throws(MediaError) -> FaultyDisk
    ) async throws {
        let asset = Asset(url: source)
        let reader = try AssetReader(asset: asset)
        let writer = try AssetWriter(
            outputURL: fixture.directory.file("copy.mov"),
            foundations: WriterCore.Foundations(openFile: { path throws(MediaError) in try disk(path) }))
        var pairs: [(AssetWriterInput, TrackOutput)] = []
        for track in try await asset.load(.tracks) {
            let output = try TrackOutput(track: track)
            let input = try AssetWriterInput(
                mediaType: track.mediaType, outputSettings: nil, sourceFormatHint: track.formatDescription)
            try reader.add(output)
            try writer.add(input)
            pairs.append((input, output))
        }
        try reader.startReading()
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        let range = TimeRange(start: .zero, end: MediaTime(value: 10, timescale: 1))
        let tracks = try pairs.map {
            TranscodeTrack($0, from: try TranscodeSource($1, of: reader, range: range, steps: nil))
        }
        try await blockingCall("transcode") {
            Result { () throws(MediaError) in try Transcode(writer: writer, tracks: tracks).run(endingAt: nil) }
        }.get()
    }
}

/// A source that reads nothing until its disk is ready.
private final class SlowSource: SampleSource {
    struct Disk {
        var isOpen = true
        var isRead = false
        var isReady = false
    }

    private let disk: Locked<Disk>

    init(_ disk: Locked<Disk>) { self.disk = disk }

    deinit { disk.withLock { $0.isOpen = false } }

    var allocationCount: Int { 0 }

    func next() throws(MediaError) -> SampleBuffer? {
        disk.withLock { $0.isRead = true }
        disk.waiting { $0.isReady ? () : nil }
        return nil
    }

    func restart(ranges: [TimeRange]) {}
}

private final class SlowOutput: AssetReaderOutput {
    let core: ReaderOutputCore
    var mediaType: MediaType { .video }

    init(_ disk: Locked<SlowSource.Disk>) {
        core = ReaderOutputCore(tracks: [], name: "a slow track") { _, _, _ in SlowSource(disk) }
    }
}
