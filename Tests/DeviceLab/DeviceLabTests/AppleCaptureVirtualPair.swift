import AVCapture
import Foundation
import TestSupport
import Testing

/// Capture under Apple's names, with the lab's two cameras.
@Suite(.serialized) struct AppleCaptureVirtualPair {
    /// A session with one camera, and its recording.
    private struct Take {
        let session = AVCaptureSession()
        let output = AVCaptureMovieFileOutput()
        let recipient = AppleCaptureLab.Recipient()
        let movie: MovieMeasure

        init(_ camera: AVCaptureDevice, _ url: URL) throws {
            movie = MovieMeasure(url: url)
            session.addInput(try AVCaptureDeviceInput(device: camera))
            session.addOutput(output)
            session.startRunning()
            try #require(session.isRunning)
        }

        func waits(forSeconds seconds: Double) -> Bool {
            eventually(within: 120) { output.recordedDuration.seconds > seconds }
        }

        /// Checks that the movie has every frame.
        func checkMovie() throws {
            #expect(eventually(within: 60) { recipient.isFinished } && recipient.error == nil)
            let connection = try #require(output.connection(with: .video))
            let ledger = try #require(output.ledger(for: connection))
            #expect(ledger.waiting == 0 && ledger.dropped == 0 && ledger.delivered > 600)
            #expect(try movie.shownPackets("v") == Int(ledger.delivered))
            #expect(try movie.decodingErrors() == "")
            let times = try movie.packetTimes("v")
            #expect(zip(times.dropFirst(), times).allSatisfy { abs($0 - $1 - 1.0 / 30) < 0.02 })
        }

        /// Returns the times at which its camera saw a clap, on the host clock, in seconds.
        func claps() throws -> [Double] {
            let start = try #require(recipient.started).seconds
            return try movie.flashes().map { start + $0 }
        }
    }

    @Test func twoSessions_withACameraEach_recordOnOneClock() throws {
        let place = try TemporaryDirectory()
        for index in 0...1 {
            _ = try Program.run("v4l2-ctl", ["-d", "/dev/video\(index)", "-c", "test_pattern=5,osd_text_mode=2"])
        }
        let clap = LabCommand(
            "exec lab-clap /dev/video0+/dev/video1 hw:Loopback,0,0+hw:Loopback,0,1 1.4 60 150")
        defer { clap.end() }
        let takes = try (0...1).map { try Take(AppleCaptureLab.camera($0), place.file("camera-\($0).mov")) }
        for take in takes { take.output.startRecording(to: take.movie.url, recordingDelegate: take.recipient) }
        #expect(takes.allSatisfy { $0.waits(forSeconds: 30) })
        // The end of one session does not affect the other.
        takes[0].session.stopRunning()
        #expect(takes[1].waits(forSeconds: 45) && takes[1].session.isRunning)
        takes[1].session.stopRunning()
        for take in takes { try take.checkMovie() }
        let (one, other) = (try takes[0].claps(), try takes[1].claps())
        let distances = one.compactMap { clap in
            other.min { abs($0 - clap) < abs($1 - clap) }.map { $0 - clap }
        }.filter { abs($0) < 0.5 }
        #expect(distances.count > 15, "\(one.count) and \(other.count) claps")
        let (lowest, highest) = (try #require(distances.min()), try #require(distances.max()))
        // Each camera sees a clap in its next frame.
        #expect(max(abs(lowest), abs(highest)) <= 0.0345, "from \(lowest) to \(highest) s")
        #expect(highest - lowest <= 0.002, "from \(lowest) to \(highest) s")
    }
}
