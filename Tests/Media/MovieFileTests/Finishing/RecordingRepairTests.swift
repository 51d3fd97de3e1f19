import Demuxing
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct RecordingRepairTests {
    private let directory: TemporaryDirectory
    private let bytes: [UInt8]

    init() throws {
        directory = try TemporaryDirectory()
        bytes = try Recording.short.bytes()
    }

    @discardableResult
    private func put(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: directory.file(name))
        return directory.path(name)
    }

    @Test func repair_truncatedRecording_finalizesAndRenamesIt() throws {
        let result = try RecordingRepair.repair(path: put(Array(bytes.dropLast(500)), "a b.recording.mov"))
        #expect(result.path == directory.path("a b.mov") && directory.names == ["a b.mov"])
        #expect(result.report.wasTorn && !result.finalNameWasTaken && !result.hadNothingToDo)
        let probe = try Probe(result.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == Int(result.report.sampleCounts[1] ?? 0))
    }

    @Test func repair_finalNameTaken_keepsTheExistingMovie() throws {
        try put([7], "a.mov")
        let result = try RecordingRepair.repair(path: put(bytes, "a.recording.mov"))
        #expect(result.finalNameWasTaken && result.path == directory.path("a-2.mov"))
        #expect(directory.names == ["a-2.mov", "a.mov"])
        #expect(try Data(contentsOf: directory.file("a.mov")) == Data([7]))
        #expect(try MovieFinisher.health(of: DiskFile(path: result.path, mode: .read)) == .whole)
    }

    @Test func repair_intactMovie_leavesItUnchanged() throws {
        let storage = MemoryStorage(bytes)
        try MovieFinisher.finish(storage)
        let path = try put(storage.bytes, "a.mov")
        let result = try RecordingRepair.repair(path: path)
        #expect(result.hadNothingToDo && result.path == path && directory.names == ["a.mov"])
        #expect(try Data(contentsOf: directory.file("a.mov")) == Data(storage.bytes))
    }

    @Test func repair_finalizedButNotRenamed_renamesIt() throws {
        let storage = MemoryStorage(bytes)
        try MovieFinisher.finish(storage)
        let result = try RecordingRepair.repair(path: put(storage.bytes, "a.recording.mov"))
        #expect(!result.hadNothingToDo && result.report.wasFinishedAlready && directory.names == ["a.mov"])
    }

    @Test func repair_notARecording_isRefusedAndUnchanged() throws {
        var files: [[UInt8]] = [
            [], Array(bytes[..<10]), Array(bytes[..<20]), Array(bytes[..<28]), Array(bytes[..<200]),
        ]
        files.append(SyntheticMedia.noise(3000))
        for (number, content) in files.enumerated() {
            let path = try put(content, "a.recording.mov")
            let error = #expect(throws: MediaError.self) { try RecordingRepair.repair(path: path) }
            #expect(error?.code == .corruptData && error?.description.contains(path) == true, "file \(number)")
            #expect(try Data(contentsOf: directory.file("a.recording.mov")) == Data(content))
            #expect(directory.names == ["a.recording.mov"])
        }
    }

    @Test func repair_movieOfAnotherProgram_leavesItUnchanged() throws {
        for (name, flags) in [("a.mov", "0"), ("b.mp4", "faststart"), ("c.mp4", "frag_keyframe+empty_moov")] {
            let made = try Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-c:v", "libx264", "-movflags",
                flags, directory.path(name))
            #expect(made.status == 0)
            let before = try Data(contentsOf: directory.file(name))
            let result = try? RecordingRepair.repair(path: directory.path(name))
            #expect(result?.hadNothingToDo ?? (name == "c.mp4"))
            #expect(try Data(contentsOf: directory.file(name)) == before)
        }
    }

    /// FFmpeg stores the first fragment's samples in the header's own tables, unless it is asked for an empty header.
    @Test(arguments: ["a.mp4", "a.mov"])
    func repair_samplesInTheLeadingHeader_keepsThem(name: String) throws {
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-f", "lavfi", "-i", "sine=r=48000",
            "-t", "3", "-c:v", "libx264", "-bf", "2", "-g", "25", "-c:a", "aac", "-movflags", "frag_keyframe",
            directory.path(name))
        #expect(made.status == 0, "\(made.errors)")
        let whole = [UInt8](try Data(contentsOf: directory.file(name)))
        let fragment = try #require(Data(whole).range(of: Data("moof".utf8))?.lowerBound)
        for (number, size) in [whole.count, whole.count * 4 / 5, fragment - 1000].enumerated() {
            let source = try put(Array(whole[..<size]), "\(number)-\(name)")
            let result = try RecordingRepair.repair(path: source, into: directory.path("\(number)-repaired-\(name)"))
            for (stream, id) in [("v:0", UInt32(1)), ("a:0", UInt32(2))] {
                let (before, after) = (try packetHashes(source, stream), try packetHashes(result.path, stream))
                #expect(!after.isEmpty && after == Array(before.prefix(after.count)), "\(stream) of \(size) B")
                // FFmpeg also returns a sample that is not complete.
                let missing = before.count - after.count
                #expect(size == whole.count ? missing == 0 : missing <= 1, "\(stream) of \(size) B")
                #expect(result.report.sampleCounts[id] == Int64(after.count))
                if size == whole.count { #expect(result.report.lostSamples[id] == nil) }
            }
            #expect(result.report.gaps.isEmpty)
            if size == whole.count { #expect(result.report.abandonedBytes == 0) }
            #expect(try Probe(result.path, decodes: true).complaints == "")
        }
    }

    /// Fragments one after the other, with the first one in the header, and with indexes between them. Smooth Streaming
    /// does not store decode times.
    @Test(arguments: [
        ("a.mp4", "frag_keyframe+empty_moov"), ("b.mp4", "frag_keyframe"),
        ("c.mp4", "frag_keyframe+empty_moov+default_base_moof+dash+global_sidx"), ("d.ismv", "frag_keyframe"),
    ])
    func repair_intactFragmentsOfAnotherProgram_losesNothing(name: String, flags: String) throws {
        let path = directory.path(name)
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-f", "lavfi", "-i", "sine=r=48000",
            "-t", "3", "-c:v", "libx264", "-g", "25", "-c:a", "aac", "-movflags", flags, path)
        #expect(made.status == 0, "\(made.errors)")
        let refusal = #expect(throws: MediaError.self) { try RecordingRepair.repair(path: path) }
        #expect(refusal?.reason.contains("another program") == true && refusal?.wayOut.contains("-o") == true)
        let result = try RecordingRepair.repair(path: path, into: directory.path("repaired.mp4"))
        #expect(!result.report.isDamaged && !result.report.wasTorn && result.report.gaps.isEmpty)
        for stream in ["v:0", "a:0"] {
            #expect(try packetHashes(result.path, stream) == packetHashes(path, stream), "\(stream)")
        }
        let bytes = [UInt8](try Data(contentsOf: directory.file(name)))
        let half = try put(Array(bytes.prefix(bytes.count / 2)), "half-\(name)")
        let rest = try RecordingRepair.repair(path: half, into: directory.path("rest.mp4"))
        #expect(rest.report.isDamaged && rest.report.wasTorn)
    }

    /// A fragmented movie of another program, without B-frames.
    private func foreign(_ name: String, seconds: Int = 3, gop: Int = 25, flags: String) throws -> [UInt8] {
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-f", "lavfi", "-i", "sine=r=48000",
            "-t", "\(seconds)", "-c:v", "libx264", "-g", "\(gop)", "-c:a", "aac", "-movflags", flags,
            directory.path(name))
        #expect(made.status == 0, "\(made.errors)")
        return [UInt8](try Data(contentsOf: directory.file(name)))
    }

    @Test(arguments: [0, 1] as [UInt8])
    func repair_noDecodeTimesAndEqualNumbers_keepsEveryFragment(number: UInt8) throws {
        var bytes = try foreign("a.ismv", flags: "frag_keyframe")
        for place in bytes.indices.dropLast(12) where bytes[place...].starts(with: "mfhd".utf8) {
            bytes.replaceSubrange((place + 8)..<(place + 12), with: [0, 0, 0, number])
        }
        let path = try put(bytes, "b.ismv")
        let result = try RecordingRepair.repair(path: path, into: directory.path("repaired.mp4"))
        #expect(!result.report.isDamaged && result.report.lostSamples.isEmpty)
        for stream in ["v:0", "a:0"] {
            #expect(try packetHashes(result.path, stream) == packetHashes(path, stream), "\(stream)")
        }
    }

    /// A camera that restarts may append its next recording to the file, also after an incomplete fragment.
    @Test(arguments: [0, 3000])
    func repair_twoMoviesInOneFile_isRefusedWithTheirBoundary(missing: Int) throws {
        let flags = "frag_keyframe+empty_moov"
        let first = try foreign("a.mp4", flags: flags).dropLast(missing)
        let second = try foreign("b.mp4", gop: 20, flags: flags)
        let path = try put(first + second, "both.mp4")
        let error = #expect(throws: MediaError.self) {
            try RecordingRepair.repair(path: path, into: directory.path("repaired.mp4"))
        }
        #expect(error?.reason.contains("begins at byte \(first.count)") == true)
        #expect(error?.wayOut.contains("tail -c +\(first.count + 1)") == true)
        #expect(directory.names == ["a.mp4", "b.mp4", "both.mp4"])
    }

    /// FFmpeg writes an empty edit for the track that begins later, if the header waits for the first packets.
    @Test(arguments: [1, 2])
    func repair_trackOfAnotherProgramBeginsLater_keepsItsTimes(part: Int) throws {
        let source = directory.path("a.mp4")
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-itsoffset", "0.5", "-f", "lavfi",
            "-i", "sine=r=48000", "-t", "3", "-c:v", "libx264", "-bf", "2", "-g", "25", "-c:a", "aac", "-movflags",
            "frag_keyframe+delay_moov", source)
        #expect(made.status == 0, "\(made.errors)")
        let bytes = [UInt8](try Data(contentsOf: directory.file("a.mp4")))
        let path = try put(Array(bytes.prefix(bytes.count / part)), "b.mp4")
        let result = try RecordingRepair.repair(path: path, into: directory.path("repaired.mp4"))
        for stream in ["v:0", "a:0"] {
            let (due, times) = (try packetTimes(source, stream), try packetTimes(result.path, stream))
            #expect(times.count > 20 && times == Array(due.prefix(times.count)), "\(stream)")
        }
        #expect(try packetTimes(result.path, "a:0")[0] > 0.4)
    }

    private func packetTimes(_ path: String, _ stream: String) throws -> [Double] {
        let result = try Probe.ask(path, "packet=pts_time", of: stream, level: "quiet", options: [])
        // Edits are rounded to milliseconds.
        return result.text.split(separator: "\n").compactMap { Double($0).map { ($0 * 100).rounded() / 100 } }
    }

    @Test func leadingEdits_severalParts_endWithTheirMedia() throws {
        let section = TrackTimes.Section(
            decodeStart: 0, mediaStart: 0, firstPresentation: 0, presentationEnd: 3000)
        let edits: [EditList.Entry] = [
            .init(duration: 100, mediaTime: -1), .init(duration: 500, mediaTime: 2000),
            .init(duration: 900, mediaTime: 2500), .init(duration: 0, mediaTime: 1000),
            .init(duration: 700, mediaTime: 3000),
        ]
        let list = LeadingEdits.following(edits, sections: [section], scale: 1000, movieScale: 1000)
        #expect(
            list?.entries == [
                .init(duration: 100, mediaTime: -1), .init(duration: 500, mediaTime: 2000),
                .init(duration: 500, mediaTime: 2500), .init(duration: 2000, mediaTime: 1000),
            ])
    }

    @Test func repair_repeatedHeader_keepsEveryFragment() throws {
        let bytes = try foreign("a.mp4", flags: "frag_keyframe+empty_moov+default_base_moof")
        let fragments = bytes.indices.filter { bytes[$0...].starts(with: "moof".utf8) }.map { $0 - 4 }
        let header = bytes[..<fragments[0]]
        let path = try put(Array(bytes[..<fragments[1]] + header + bytes[fragments[1]...]), "b.mp4")
        let result = try RecordingRepair.repair(path: path, into: directory.path("repaired.mp4"))
        #expect(!result.report.isDamaged && result.report.lostSamples.isEmpty)
        for stream in ["v:0", "a:0"] {
            #expect(try packetHashes(result.path, stream) == packetHashes(directory.path("a.mp4"), stream))
        }
    }

    /// The times agree, but the samples do not, so one fragment is no copy of the other.
    @Test func repair_differentFragmentWithTheSameTime_countsItsSamplesAsLost() throws {
        let flags = "frag_keyframe+empty_moov+default_base_moof"
        let bytes = try foreign("a.mp4", flags: flags)
        let other = try foreign("b.mp4", gop: 20, flags: flags)
        let starts = other.indices.filter { other[$0...].starts(with: "moof".utf8) }.map { $0 - 4 }
        let path = try put(bytes + other[starts[0]..<starts[1]], "c.mp4")
        let result = try RecordingRepair.repair(path: path, into: directory.path("repaired.mp4"))
        #expect(result.report.isDamaged && result.report.lostSamples[1] ?? 0 >= 20)
    }

    private func packetHashes(_ path: String, _ stream: String) throws -> [String] {
        let result = try Probe.ask(
            path, "packet=data_hash", of: stream, level: "quiet", options: ["-show_data_hash", "md5"])
        return result.text.split(separator: "\n").map(String.init)
    }

    @Test func repair_fileBeingRecorded_isRefused() throws {
        let file = try DiskFile(path: directory.path("a.recording.mov"), mode: .create)
        try Recording.short.write(to: file)
        let path = directory.path("a.recording.mov")
        let error = #expect(throws: MediaError.self) { try RecordingRepair.repair(path: path) }
        #expect(error?.code == .busy && error?.reason.contains("being recorded") == true)
        #expect(try Data(contentsOf: directory.file("a.recording.mov")) == Data(bytes))
        // Every program may read it.
        #expect(try MovieInspector.summary(ofFileAt: path).health == .unfinished)
    }

    @Test func lock_closedFile_isReleased() throws {
        let path = try put(bytes, "a.recording.mov")
        do {
            let holder = try DiskFile(path: path, mode: .update)
            #expect(throws: MediaError.self) { try DiskFile(path: path, mode: .update) }
            _ = try holder.size()
        }
        _ = try DiskFile(path: path, mode: .update)
    }

    @Test func repair_copyLeftByACrash_removesIt() throws {
        let path = try put(bytes, "a.recording.mov")
        let identity = try #require(DiskFile.Identity(of: path))
        let copy = try #require(RecordingFileName(recording: path)).rewriting(of: identity)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: copy))
        // A file of another program is kept, whatever its name.
        try put([1, 2, 3], "a.rewriting.mov")
        try RecordingRepair.repair(path: path)
        #expect(directory.names == ["a.mov", "a.rewriting.mov"])
    }

    @Test(arguments: [
        ("/x/a.recording.mov", "/x/a.mov"), ("a.b.recording.m4a", "a.b.m4a"), ("a.recording", "a"),
        ("/x.y/a.recording", "/x.y/a"),
    ])
    func fileName_recordingName_leadsToTheFinalNameAndBack(recording: String, final: String) {
        let name = RecordingFileName(recording: recording)
        #expect(name?.final == final)
        #expect(name == RecordingFileName(final: final) && name?.recording == recording)
        for other in [final, "/a.recording/b.mov", "recording.mov", "a.recording.b.mov", "/a/.recording.mov"] {
            #expect(RecordingFileName(recording: other) == nil, "\(other)")
        }
    }
}
