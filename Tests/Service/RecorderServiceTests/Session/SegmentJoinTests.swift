import AssetIO
import CommandInterface
import FakeDevices
import Foundation
import MediaTypes
import MovieCommands
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Files of one recording, joined: nothing is missing and nothing is duplicated. FFmpeg is the judge.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SegmentJoinTests {
    /// Records three files with two splits.
    private func record(_ bench: JoinBench) async throws -> RecordingStatus {
        let run = bench.run()
        try await bench.ready()
        try await bench.play(37)
        try await waitUntil { bench.process.status.state == .recording }
        for _ in 0..<2 {
            _ = try await bench.playing { try await bench.process.split() }
            try await bench.play(20)
        }
        let status = try await end(bench)
        #expect(await run.value.failure == nil)
        return status
    }

    private func end(_ bench: JoinBench, disarms: Bool = true) async throws -> RecordingStatus {
        try await bench.playing { try await bench.process.stop(disarms: disarms) }
    }

    /// Checks that each file plays by itself and that its drop counts are consistent.
    private func examine(_ status: RecordingStatus) throws -> [String] {
        let paths = status.segments.map(\.file)
        var written: [String: Int64] = [:]
        for (path, segment) in zip(paths, status.segments) {
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints.isEmpty)
            #expect(probe.video?.codecName == "h264")
            #expect(abs(probe.format.seconds - (segment.duration ?? 0)) < 0.03)
            let summary = try MovieSummary(contentsOf: URL(fileURLWithPath: path))
            #expect(summary.health == .whole)
            let ledger = try #require(summary.ledger)
            for (kind, account) in ledger {
                #expect(account.pending == 0, "\(path) \(kind) \(account)")
                written[kind, default: 0] += account.written
            }
        }
        #expect(status.isExact, "\(JSONText.line(status))")
        #expect(status.video?.written == written["video"])
        #expect(status.audio?.written == written["audio"])
        return paths
    }

    /// Expects each captured audio frame from a video frame on.
    private func expectCounting(_ files: JoinedFiles, from frame: Int, frames: Int) {
        let audio = files.joinedAudio
        #expect(audio.count == frames * 1920)
        #expect(files.excess.allSatisfy { $0 >= 0 && $0 < 2048 })
        let first = frame * 1920
        let fault = audio.indices.first { audio[$0] != Int16(truncatingIfNeeded: first + $0) }
        #expect(
            fault == nil, "the audio is wrong from \(fault.map { "\($0) (frame \(Double($0) / 1920))" } ?? "") on")
    }

    private func expectClicks(_ files: JoinedFiles, from frame: Int, frames: Int) {
        let (first, end) = (frame * 1920, (frame + frames) * 1920)
        let wanted = stride(from: 0, to: end, by: JoinBench.clickDistance).filter { $0 > first }.map { $0 - first }
        let clicks = files.clicks
        // A click at the end may be cut in two.
        #expect(clicks.count == wanted.count || clicks.count == wanted.count - 1)
        for (click, place) in zip(clicks, wanted) { #expect(abs(click - place) < 48, "\(click) for \(place)") }
        #expect(abs(files.joinedAudio.count - frames * 1920) < 48)
        #expect(files.excess.allSatisfy { $0 >= 0 && $0 < 2048 })
    }

    @Test(arguments: [JoinBench.Audio.counting, .clicking]) func split_threeFilesJoined_areTheCompleteRecording(
        audio: JoinBench.Audio
    ) async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: audio)
            let status = try await record(bench)
            let paths = try examine(status)
            #expect(paths.count == 3)
            let files = try JoinedFiles(paths, status.segments.map(\.duration))
            let count = try #require(status.video).written
            #expect(files.frames == Array(0..<Int(count)))
            if audio == .counting {
                expectCounting(files, from: 0, frames: files.frames.count)
            } else {
                expectClicks(files, from: 0, frames: files.frames.count)
            }

            // Joins the files without encoding.
            var request = ReencodeRequest(inputs: paths.map { URL(fileURLWithPath: $0) })
            request.output = URL(fileURLWithPath: directory + "/whole.mov")
            request.preset = .passthrough
            _ = try await Reencoder(request).run()
            let whole = try JoinedFiles([directory + "/whole.mov"], [status.duration])
            #expect(whole.frames == files.frames)
            // FFmpeg plays up to a packet too much at every seam, because of edits.
            #expect(whole.excess.allSatisfy { $0 >= 0 && $0 <= 3 * 2048 })
            #expect(abs(try Probe(directory + "/whole.mov").format.seconds - (status.duration ?? 0)) < 0.001)
        }
    }

    @Test(arguments: [JoinBench.Audio.counting, .clicking]) func preRoll_savedAndRecorded_isTheTimeBefore(
        audio: JoinBench.Audio
    ) async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: audio) {
                $0.isArmed = true
                $0.preRoll = milliseconds(1500)
            }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(90)
            let saved = try await bench.playing {
                try await bench.process.save(last: milliseconds(1000), to: directory + "/saved.mov")
            }
            let excerpt = try JoinedFiles([saved.file], [saved.duration], from: 50)
            let from = try #require(excerpt.frames.first)
            #expect(excerpt.frames == Array(from..<(from + excerpt.frames.count)))
            #expect(abs(excerpt.frames.count - 25) <= 1)
            #expect(saved.duration.map { abs($0 - 1) < 0.041 } == true)
            _ = try await bench.record()
            try await bench.play(20)
            let status = try await end(bench, disarms: false)
            let paths = try examine(status)
            let files = try JoinedFiles(paths, status.segments.map(\.duration), from: 50)
            let first = try #require(files.frames.first)
            #expect(files.frames == Array(first..<(first + files.frames.count)))
            #expect(files.frames.count >= 55)
            // The file begins between two frames, and so does the audio.
            let start = try #require(bench.process.session.snapshot.lastRun?.start)
            let offset = Int((start - milliseconds(1000)).ticks(in: 48_000))
            if audio == .counting {
                let samples = files.joinedAudio
                let fault = samples.indices.first { samples[$0] != Int16(truncatingIfNeeded: offset + $0) }
                #expect(fault == nil)
                #expect(abs(Double(samples.count) / 48_000 - (status.duration ?? 0)) < 0.001)
            } else {
                let wanted = stride(from: 0, to: offset + files.joinedAudio.count, by: JoinBench.clickDistance)
                    .filter { $0 > offset }.map { $0 - offset }
                // A click at the start of the recording may be audible or not.
                for click in files.clicks {
                    let past = (click + offset) % JoinBench.clickDistance
                    #expect(min(past, JoinBench.clickDistance - past) < 48)
                }
                for (one, next) in zip(files.clicks, files.clicks.dropFirst()) {
                    #expect(abs(next - one - JoinBench.clickDistance) < 96)
                }
                #expect(abs(files.clicks.count - wanted.count) <= 1)
            }
            bench.process.requestStop()
            #expect(await run.value.failure == nil)
        }
    }

    @Test func pause_bothTracks_leaveOutTheSameTime() async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: .counting)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            try await waitUntil { bench.process.status.state == .recording }
            _ = try bench.process.pause()
            try await bench.play(30)
            _ = try bench.process.resume()
            try await bench.play(30)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            let paths = try examine(status)
            let files = try JoinedFiles(paths, status.segments.map(\.duration))
            let count = files.frames.count
            #expect(files.frames == Array(0..<40) + Array(70..<(count + 30)))
            let audio = files.joinedAudio
            #expect(audio.count == count * 1920)
            let fault = audio.indices.first {
                audio[$0] != Int16(truncatingIfNeeded: $0 < 40 * 1920 ? $0 : $0 + 30 * 1920)
            }
            #expect(fault == nil, "\(fault.map { Double($0) / 1920 } ?? -1)")
            #expect(status.video?.paused == 30 && status.audio?.paused == 30 * 1920)
            #expect(status.video?.dropped.paused == 0 && status.audio?.dropped.paused == 0)
            // The file stores the position: after 40 frames, minus what starting the encoders has cost.
            let pauses = try #require(try MovieSummary(contentsOf: URL(fileURLWithPath: paths[0])).clock).pauses
            #expect(pauses.count == 1)
            #expect(pauses.allSatisfy { abs($0.duration - 1.2) < 1e-6 && abs($0.time - 1.6) < 0.041 }, "\(pauses)")
        }
    }

    @Test func segments_byDurationJoined_areTheCompleteRecording() async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: .counting) { $0.segments.duration = milliseconds(1240) }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(130)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            let paths = try examine(status)
            #expect(status.segments.dropLast().allSatisfy { $0.duration == 1.24 })
            let files = try JoinedFiles(paths, status.segments.map(\.duration))
            #expect(files.frames == Array(0..<files.frames.count))
            expectCounting(files, from: 0, frames: files.frames.count)
        }
    }

    @Test(arguments: 0..<3) func camera_disconnected_audioIsComplete(round: Int) async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: .counting)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(40)
            try await waitUntil { bench.process.status.state == .recording }
            bench.camera.unplug()
            try await bench.play(25, video: false)
            try await bench.plugIn()
            try await bench.play(40)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            let paths = try examine(status)
            #expect(paths == ["", "-002"].map { directory + "/take\($0).mov" })
            #expect(status.segments.first?.duration == 2.6)
            #expect(status.video?.dropped.device == 25)
            let files = try JoinedFiles(paths, status.segments.map(\.duration))
            let count = files.frames.count
            #expect(files.frames == Array(0..<40) + Array(65..<(count + 25)))
            expectCounting(files, from: 0, frames: count + 25)
        }
    }
}
