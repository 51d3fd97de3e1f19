import FileSystem
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderStorage

/// A time range that is kept as a clip, with real files and pins, and clips of a few bytes.
@Suite struct RangeKeeperTests {
    /// Files of a minute, from 1,000 s after 1970: a.mov, b.mov …
    private struct FakeMaker: RangeClipMaking {
        var joins = true
        /// The end of recordings in progress, one value for each look; the last one stays.
        var growth = Locked<[Double]>([.infinity])
        let failure = Locked<MediaError?>(nil)

        func clock(of file: String) throws(MediaError) -> MovieClock {
            let letter = Double(file.lastComponent.utf8.first ?? 0) - Double(UInt8(ascii: "a"))
            guard OutputLocation.finalPath(of: file) != nil else {
                return MovieClock(begin: 1000 + 60 * letter, duration: 60, pauses: [])
            }
            let length = growth.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            return MovieClock(begin: 1000 + 60 * letter, duration: min(length, 60), pauses: [])
        }

        func joinsWithoutLoss(_ files: [String]) async throws(MediaError) -> Bool { joins }

        func make(_ parts: [RangePlan.Part], at path: String) async throws(MediaError) {
            if let failure = failure.withLock({ $0 }) { throw failure }
            let text = parts.map { "\($0.file.lastComponent) \($0.range)" }.joined(separator: ", ")
            guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
                throw MediaError(.cannotCreate, "cannot create \(path)", reason: "test")
            }
        }

        func verify(_ parts: [RangePlan.Part], at path: String) async throws(MediaError) {
            guard FolderContents.size(of: path) ?? 0 > 0 else {
                throw MediaError(.corruptData, "cannot verify \(path)", reason: "test")
            }
        }
    }

    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let front: RecordingName
    private let free = Locked<Int64?>(nil)

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        front = try RecordingName(parsing: "front")
        try FileManager.default.createDirectory(at: directory.file("movies"), withIntermediateDirectories: true)
    }

    private var removal: OwnerRemoval { OwnerRemoval(of: front, in: state) }

    private func keeper(
        _ maker: FakeMaker = FakeMaker(),
        afterStep: @escaping @Sendable (RangeSteps) throws(MediaError) -> Void = {
            (_: RangeSteps) throws(MediaError) -> Void in
        }
    ) -> RangeKeeper {
        let free = free
        return RangeKeeper(
            removal, maker, freeSpace: { _ in free.withLock { $0 } }, wait: {}, afterStep: afterStep)
    }

    private var catalogue: RecordingCatalogue { RecordingCatalogue(front, in: state) }

    private func record(_ names: String...) throws -> [String] {
        try names.map { name in
            let path = directory.path("movies/\(name)")
            try Data(count: 100).write(to: directory.file("movies/\(name)"))
            if OutputLocation.finalPath(of: path) == nil { try catalogue.add(path, root: directory.path("movies")) }
            return path
        }
    }

    private var names: [String] { (FolderContents.names(in: directory.path("movies")) ?? []).sorted() }
    private var clips: [String] { names.filter { $0.contains("-clip-") && !$0.hasSuffix(".keep") } }
    private var requests: [RangeRequest] { RangeRequests(name: front, state: state).all }

    private func isKept(_ path: String) -> Bool { RecordingPins.isKept(path) }

    @Test func keep_clip_takesThePlaceOfTheFiles() async throws {
        let files = try record("a.mov", "b.mov")
        var released: [String] = []
        try await keeper().keep(
            files, of: front, 1050...1070, note: "gate", releasesFiles: true
        ) { event in
            if case .released(let path, true) = event { released.append(path) }
        }
        #expect(released == files && clips.count == 1 && requests.isEmpty)
        let clip = directory.path("movies/\(try #require(clips.first))")
        let text = String(decoding: try #require(FileContents.bytes(of: clip)), as: UTF8.self)
        #expect(text == "a.mov 50.0...60.0, b.mov 0.0...10.0")
        #expect(isKept(clip) && files.allSatisfy { !isKept($0) })
        let entry = try #require(try catalogue.entry(clip))
        #expect(entry.pin?.note == "gate" && entry.root == directory.path("movies"))
        for file in files { #expect(try catalogue.entry(file)?.pin == nil) }
        #expect(!names.contains { $0.hasSuffix(".making") })
    }

    @Test func keep_overlapsAnEarlierClip_leavesThatClipAlone() async throws {
        let files = try record("a.mov", "b.mov")
        try await keeper().keep(files, of: front, 1050...1070, note: "first", releasesFiles: true) { _ in }
        let first = directory.path("movies/\(try #require(clips.first))")
        #expect(RangeRequest.isClip(first) && !RangeRequest.isClip(files[0]))
        var reported: [String] = []
        try await keeper().keep(
            files + [first], of: front, 1055...1075, note: "second", releasesFiles: true
        ) { event in
            switch event {
            case .kept(let change): reported.append(change.file)
            case .released(let path, _): reported.append(path)
            case .clip, .notKept: break
            }
        }
        #expect(clips.count == 2 && isKept(first) && Set(reported) == Set(files))
        #expect(try catalogue.entry(first)?.pin?.note == "first")
    }

    @Test func keep_joiningWouldLoseSomething_makesAClipOfEachFile() async throws {
        let files = try record("a.mov", "b.mov")
        try await keeper(FakeMaker(joins: false)).keep(
            files, of: front, 1050...1070, note: nil, releasesFiles: true
        ) { _ in }
        #expect(clips.count == 2 && clips.allSatisfy { isKept(directory.path("movies/\($0)")) })
        #expect(files.allSatisfy { !isKept($0) })
    }

    @Test func keep_both_keepsTheFilesToo() async throws {
        let files = try record("a.mov")
        try await keeper().keep(files, of: front, 1010...1020, note: nil, releasesFiles: false) { _ in }
        #expect(isKept(files[0]) && clips.count == 1)
        #expect(try catalogue.entry(files[0])?.pin?.requests == nil)
    }

    /// Ends the run after each step, as a crash would, and resumes it.
    @Test(arguments: 1...8) func keep_interruptedAfterEachStep_losesNothing(count: Int) async throws {
        let files = try record("a.mov", "b.mov")
        let left = Locked(count)
        let stopped = keeper(FakeMaker(joins: false)) { (_: RangeSteps) throws(MediaError) -> Void in
            let isOver = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isOver { throw MediaError(.cancelled, "cannot continue", reason: "test") }
        }
        do throws(MediaError) {
            try await stopped.keep(files, of: front, 1050...1070, note: nil, releasesFiles: true) { _ in }
        } catch { #expect(error.code == .cancelled) }
        let areClipsKept = clips.count == 2 && clips.allSatisfy { isKept(directory.path("movies/\($0)")) }
        #expect(files.allSatisfy { isKept($0) } || areClipsKept, "\(names)")
        #expect(count == 8 || keeper().leftovers(of: front).count == 1)
        // What is not kept may be deleted meanwhile.
        for file in files where !isKept(file) { #expect(unlink(file) == 0) }
        try await keeper(FakeMaker(joins: false)).resume(front) { _ in }
        #expect(clips.count == 2 && clips.allSatisfy { isKept(directory.path("movies/\($0)")) })
        #expect(files.allSatisfy { !isKept($0) } && requests.isEmpty)
    }

    @Test func keep_clipFails_filesStayKept() async throws {
        let files = try record("a.mov")
        let maker = FakeMaker()
        maker.failure.withLock { $0 = MediaError(.diskFull, "cannot write", reason: "test") }
        await #expect(throws: MediaError.self) {
            try await keeper(maker).keep(files, of: front, 1010...1020, note: nil, releasesFiles: true) { _ in }
        }
        #expect(isKept(files[0]) && clips.isEmpty && requests.count == 1)
        #expect(!names.contains { $0.hasSuffix(".making") })
        // A damaged recording stays damaged: the request ends, the file stays kept.
        maker.failure.withLock { $0 = MediaError(.corruptData, "cannot read", reason: "test") }
        let error = await #expect(throws: MediaError.self) { try await keeper(maker).resume(front) { _ in } }
        #expect(error?.wayOut.hasPrefix("the files stay kept") == true)
        #expect(isKept(files[0]) && requests.isEmpty)
    }

    @Test func keep_tooLittleSpace_filesStayKept() async throws {
        let files = try record("a.mov")
        free.withLock { $0 = 10 }
        let error = await #expect(throws: MediaError.self) {
            try await keeper().keep(files, of: front, 1010...1020, note: nil, releasesFiles: true) { _ in }
        }
        #expect(error?.code == .diskFull && isKept(files[0]) && requests.count == 1)
    }

    @Test func keep_recordingInProgress_waitsForTheEndOfTheRange() async throws {
        let files = try record("a.recording.mov")
        try await keeper(FakeMaker(growth: Locked([5, 15, 25]))).keep(
            files, of: front, 1010...1020, note: nil, releasesFiles: true
        ) { _ in }
        #expect(clips.count == 1 && !isKept(directory.path("movies/a.mov")))
        let error = await #expect(throws: MediaError.self) {
            try await keeper(FakeMaker(growth: Locked([5]))).keep(
                files, of: front, 1010...1020, note: nil, releasesFiles: true
            ) { _ in }
        }
        #expect(error?.code == .busy && isKept(directory.path("movies/a.mov")))
    }

    @Test func resume_finalizedMeanwhile_usesTheFinalName() async throws {
        let files = try record("a.recording.mov")
        await #expect(throws: MediaError.self) {
            try await keeper(FakeMaker(growth: Locked([5]))).keep(
                files, of: front, 1010...1020, note: nil, releasesFiles: true
            ) { _ in }
        }
        let path = directory.path("movies/a.mov")
        #expect(rename(files[0], path) == 0)
        try catalogue.add(path)
        try await keeper().resume(front) { _ in }
        #expect(clips.count == 1 && !isKept(path) && requests.isEmpty)
    }
}
