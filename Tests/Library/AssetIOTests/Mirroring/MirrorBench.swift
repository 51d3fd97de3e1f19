import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// A disk that can be disconnected, fill up or stall, and come back.
final class RemovableDisk: Sendable {
    struct State {
        var isAway = false
        var isFull = false
        var isStalled = false
    }

    let directory: String
    private let state = Locked(State())

    init(_ directory: String) { self.directory = directory }

    func take() { state.withLock { $0.isAway = true } }
    func fill() { state.withLock { $0.isFull = true } }
    func stall() { state.withLock { $0.isStalled = true } }
    func bringBack() {
        state.withLock { ($0.isAway, $0.isFull, $0.isStalled) = (false, false, false) }
        state.broadcast()
    }

    func check(_ action: String, writing: Bool = false) throws(MediaError) {
        let code: Int32? = state.waiting { state in
            guard !state.isStalled else { return nil }
            return .some(state.isAway ? EIO : state.isFull && writing ? ENOSPC : nil)
        }
        if let code { throw MediaError(errno: code, action) }
    }

    func path(_ name: String) -> String { directory + "/" + name }

    func open(_ path: String, _ mode: DiskFile.Mode) throws(MediaError) -> any MovieStorage {
        try check("cannot open \(path)")
        return RemovableFile(try DiskFile(path: path, mode: mode), self)
    }
}

private final class RemovableFile: MovieStorage {
    private let file: DiskFile
    private let disk: RemovableDisk

    init(_ file: DiskFile, _ disk: RemovableDisk) { (self.file, self.disk) = (file, disk) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        try disk.check("cannot write \(file.path)", writing: true)
        try file.write(bytes, at: offset)
    }
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        try disk.check("cannot read \(file.path)")
        return try file.read(into: bytes, at: offset)
    }
    func size() throws(MediaError) -> UInt64 { try file.size() }
    func truncate(to size: UInt64) throws(MediaError) { try file.truncate(to: size) }
    func synchronize() throws(MediaError) {
        try disk.check("cannot sync \(file.path)")
        try file.synchronize()
    }
    func close() { file.close() }
}

/// Writes a recording to two disks, as the muxer's thread does.
final class MirrorBench {
    let directory = try! TemporaryDirectory()
    let disks: [RemovableDisk]
    let mirror: FileMirror
    let recording: Recording
    /// The reported conditions, by copy.
    let told = Locked<[[MirroredFileStatus.Condition]]>([[], []])
    private var writer: MovieFileWriter?
    private var next = 0

    init(_ recording: Recording = .short, limit: Int = FileMirror.backlogLimit) throws {
        self.recording = recording
        let disks = ["one", "other"].map { [directory] in RemovableDisk(directory.path($0)) }
        for disk in disks {
            try FileManager.default.createDirectory(atPath: disk.directory, withIntermediateDirectories: true)
        }
        let told = told
        let places = disks.indices.map { index in
            let disk = disks[index]
            return FileMirror.Place(
                destination: FileDestination(
                    finalPath: disk.path("take.mov"), temporaryPath: disk.path("take.recording.mov"),
                    openFile: { path throws(MediaError) in try disk.open(path, .create) },
                    reopenFile: { path throws(MediaError) in try disk.open(path, .reopen) }),
                prepare: { () throws(MediaError) in try disk.check("cannot look at \(disk.directory)") },
                changed: { status in told.withLock { $0[index].append(status.condition) } })
        }
        self.disks = disks
        mirror = FileMirror(places, MuxerConfiguration(.mov), limit: limit, patience: 5_000_000)
    }

    /// Writes the next `count` fragments.
    func write(_ count: Int = 1) throws {
        let writer = try self.writer ?? begin()
        for fragment in recording.fragments[next..<next + count] { try writer.writeFragment(fragment) }
        next += count
    }

    func begin() throws -> MovieFileWriter {
        try mirror.open()
        let made = MovieFileWriter(
            storage: MirrorOutput { [mirror] block throws(MediaError) in try mirror.hand(block) }, timeScale: 1_000_000,
            creationTime: 1_800_000_000, metadata: [], tracks: recording.tracks, sessionStart: recording.sessionStart)
        writer = made
        return made
    }

    func finish() throws -> Int {
        var facts = recording.facts
        facts.index = writer?.index
        defer { mirror.close() }
        return try mirror.finish(facts).index
    }

    func isThere(_ name: String, on index: Int) -> Bool {
        FileManager.default.fileExists(atPath: disks[index].path(name))
    }

    func bytes(_ name: String, on index: Int) -> Data? {
        FileManager.default.contents(atPath: disks[index].path(name))
    }

    /// Expects both disks to hold the same complete movie and nothing else.
    func expectBothWhole(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for disk in disks {
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: disk.directory) == ["take.mov"],
                sourceLocation: sourceLocation)
        }
        #expect(bytes("take.mov", on: 0) == bytes("take.mov", on: 1), sourceLocation: sourceLocation)
        let probe = try Probe(disks[1].path("take.mov"), decodes: true)
        #expect(probe.complaints == "", sourceLocation: sourceLocation)
        #expect(probe.video?.frames == recording.frameCount, sourceLocation: sourceLocation)
    }

    func condition(_ index: Int) -> MirroredFileStatus.Condition { mirror.statuses[index].condition }
}
