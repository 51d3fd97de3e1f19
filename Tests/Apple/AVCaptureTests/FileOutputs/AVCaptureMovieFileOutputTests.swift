import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCaptureMovieFileOutputTests {
    private let directory: TemporaryDirectory
    private let output = AVCaptureMovieFileOutput()
    private let recipient = Recipient()

    init() throws { directory = try TemporaryDirectory() }

    private var movie: URL { directory.file("movie.mov") }

    private func started(withAudio: Bool = false) throws -> FakeSession {
        let fake = try FakeSession(withAudio: withAudio)
        fake.session.addOutput(output)
        fake.session.startRunning()
        return fake
    }

    private func probe(_ stream: String, _ entry: String) throws -> String {
        let result = try Command.run([
            "ffprobe", "-v", "error", "-count_frames", "-select_streams", stream, "-show_entries", entry, "-of",
            "default=nw=1:nk=1", movie.path,
        ])
        return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Lets the camera capture frames 40 ms apart, each as soon as the recording has room for it.
    private func capture(
        _ numbers: Range<Int>, with fake: FakeSession, from start: Int, to output: AVCaptureMovieFileOutput
    ) async throws {
        for number in numbers {
            try await waitUntil { (output.recording?.video?.queueDepth ?? 0) < 4 }
            fake.source.frame(at: start + number * 40)
        }
    }

    @Test func movieOutput_cameraAndMicrophone_recordsBoth() async throws {
        let fake = try started(withAudio: true)
        #expect(output.connections.count == 2 && !output.isRecording && output.outputFileURL == nil)
        output.movieFragmentInterval = CMTime(value: 1, timescale: 2)
        output.startRecording(to: movie, recordingDelegate: recipient)
        #expect(output.isRecording && output.outputFileURL == movie && output.recordedDuration == .zero)
        fake.microphoneSource.block(at: 9_950)
        try await capture(0..<30, with: fake, from: 10_000, to: output)
        for index in 1..<12 { fake.microphoneSource.block(at: 9_950 + index * 100) }
        #expect(output.recordedDuration == CMTime(value: 1200, timescale: 1000))
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["started 10.0", "finished"] && recipient.error == nil && !output.isRecording)
        #expect(try probe("v:0", "stream=codec_name,width,height,nb_read_frames") == "h264\n64\n32\n30")
        #expect(try probe("a:0", "stream=codec_name") == "aac")
        let connection = try #require(output.connection(with: .video))
        let ledger = try #require(output.ledger(for: connection))
        #expect(ledger.captured == 30 && ledger.delivered == 30 && ledger.dropped == 0)
        fake.session.stopRunning()
    }

    /// A delegate with the older form of the start's method.
    private final class OlderRecipient: NSObject, AVCaptureFileOutputRecordingDelegate, @unchecked Sendable {
        // Unchecked: locked.
        let lines = Locked<[String]>([])

        func fileOutput(
            _ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, from connections: [AVCaptureConnection]
        ) {
            lines.withLock { $0.append("started \(fileURL.lastPathComponent), \(connections.count)") }
        }

        func fileOutput(
            _ output: AVCaptureFileOutput, didFinishRecordingTo outputFileURL: URL,
            from connections: [AVCaptureConnection], error: (any Error)?
        ) {
            lines.withLock { $0.append("finished") }
        }
    }

    @Test func movieOutput_startWithoutATime_isCalledToo() async throws {
        let (fake, older) = (try started(), OlderRecipient())
        output.startRecording(to: movie, recordingDelegate: older)
        fake.source.frame(at: 1_000)
        output.stopRecording()
        try await waitUntil { older.lines.withLock { $0.count } == 2 }
        #expect(older.lines.withLock { $0 } == ["started movie.mov, 1", "finished"])
        fake.session.stopRunning()
    }

    @Test func movieOutput_pause_isCutOut() async throws {
        let fake = try started()
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<10, with: fake, from: 1_000, to: output)
        output.pauseRecording()
        #expect(output.isRecordingPaused && output.recordedDuration == CMTime(value: 400, timescale: 1000))
        try await capture(0..<10, with: fake, from: 2_000, to: output)
        output.resumeRecording()
        try await capture(0..<10, with: fake, from: 3_000, to: output)
        #expect(!output.isRecordingPaused && output.recordedDuration == CMTime(value: 800, timescale: 1000))
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["started 1.0", "paused", "resumed", "finished"] && recipient.error == nil)
        let frameCount = try probe("v:0", "stream=nb_read_frames")
        #expect(frameCount == "20")
        fake.session.stopRunning()
    }

    @Test func movieOutput_resumedAtOnce_recordsTheRest() async throws {
        let fake = try started(withAudio: true)
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<10, with: fake, from: 1_000, to: output)
        for index in 0..<5 { fake.microphoneSource.block(at: 1_000 + index * 100) }
        output.pauseRecording()
        output.resumeRecording()
        // The audio until 1500 is recorded already, so the session before lasts until then.
        try await capture(10..<30, with: fake, from: 1_000, to: output)
        #expect(output.recordedDuration == CMTime(value: 1180, timescale: 1000))
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error == nil)
        #expect(try probe("v:0", "stream=nb_read_frames") == "27")
        fake.session.stopRunning()
    }

    @Test func movieOutput_lossOutsideOfTheRecording_isNotCounted() async throws {
        let fake = try started()
        output.startRecording(to: movie, recordingDelegate: recipient)
        fake.source.send(.lost(count: 50, cause: .device, near: milliseconds(1_000)))
        for index in 0..<5 { fake.source.frame(at: 1_000 + index * 40) }
        fake.source.send(.lost(count: 2, cause: .device, near: milliseconds(1_280)))
        fake.source.frame(at: 1_280)
        output.pauseRecording()
        fake.source.send(.lost(count: 70, cause: .device, near: milliseconds(2_000)))
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        let connection = try #require(output.connection(with: .video))
        let ledger = try #require(output.ledger(for: connection))
        #expect(ledger.captured == 8 && ledger.delivered == 6 && ledger.lost == 2)
        fake.session.stopRunning()
    }

    @Test func movieOutput_sampleBeyondTheMaximumDuration_isCut() async throws {
        let fake = try started(withAudio: true)
        output.maxRecordedDuration = CMTime(value: 450, timescale: 1000)
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<11, with: fake, from: 1_000, to: output)
        for index in 0..<5 { fake.microphoneSource.block(at: 1_000 + index * 100) }
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error?.code == .maximumDurationReached)
        let seconds = try #require(Double(try probe("v:0", "format=duration")))
        // The last packet of audio is cut, or not, depending on the reader.
        #expect(seconds > 0.44 && seconds < 0.48, "\(seconds) s")
        fake.session.stopRunning()
    }

    @Test func movieOutput_maximumDuration_endsARecordingThatPlays() async throws {
        let fake = try started()
        output.maxRecordedDuration = CMTime(value: 400, timescale: 1000)
        output.maxRecordedFileSize = 1 << 40
        output.minFreeDiskSpaceLimit = 1
        #expect(output.maxRecordedDuration.seconds == 0.4 && output.maxRecordedFileSize == 1 << 40)
        #expect(output.minFreeDiskSpaceLimit == 1)
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<30, with: fake, from: 1_000, to: output)
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error?.code == .maximumDurationReached)
        #expect(recipient.error?.recordingSuccessfullyFinished == true)
        #expect(try probe("v:0", "stream=nb_read_frames") == "10")
        fake.session.stopRunning()
    }

    @Test func movieOutput_diskBelowTheLimit_endsTheRecording() async throws {
        let fake = try started()
        output.minFreeDiskSpaceLimit = .max
        output.startRecording(to: movie, recordingDelegate: recipient)
        fake.source.frame(at: 1_000)
        fake.source.frame(at: 1_040)
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error?.code == .diskFull && recipient.error?.recordingSuccessfullyFinished == true)
        fake.session.stopRunning()
    }

    @Test func movieOutput_sessionStopped_finalizesTheMovie() async throws {
        let fake = try started()
        output.startRecording(to: movie, recordingDelegate: recipient)
        for index in 0..<5 { fake.source.frame(at: 1_000 + index * 40) }
        fake.session.stopRunning()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error == nil)
        #expect(try probe("v:0", "stream=nb_read_frames") == "5")
    }

    @Test func movieOutput_sessionReleased_finalizesTheMovieAndReportsIt() async throws {
        let hardware = FakeHardware()
        try recordAndRelease(hardware)
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["started 1.0", "finished"] && recipient.error == nil)
        #expect(try probe("v:0", "stream=nb_read_frames") == "5")
        try await waitUntil { hardware.camera.source.isStopped }
    }

    @Test func movieOutput_releasedWhenALimitIsReached_reportsTheEnd() async throws {
        try await recordToALimitAndRelease()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["started 1.0", "finished"])
        #expect(recipient.error?.code == .maximumDurationReached)
        #expect(try probe("v:0", "stream=nb_read_frames") == "10")
    }

    private func recordToALimitAndRelease() async throws {
        let (fake, output) = (try FakeSession(), AVCaptureMovieFileOutput())
        fake.session.addOutput(output)
        fake.session.startRunning()
        output.maxRecordedDuration = CMTime(value: 400, timescale: 1000)
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<10, with: fake, from: 1_000, to: output)
    }

    private func recordAndRelease(_ hardware: FakeHardware) throws {
        let (fake, output) = (try FakeSession(hardware), AVCaptureMovieFileOutput())
        fake.session.addOutput(output)
        fake.session.startRunning()
        output.startRecording(to: movie, recordingDelegate: recipient)
        for index in 0..<5 { fake.source.frame(at: 1_000 + index * 40) }
    }

    /// Waits for the end of a recording that the session's configuration has ended, and checks its report.
    private func expectEndByConfiguration(frames: Int) async throws {
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error?.code == .sessionConfigurationChanged)
        #expect(recipient.error?.recordingSuccessfullyFinished == true && !output.isRecording)
        #expect(try probe("v:0", "stream=nb_read_frames") == "\(frames)")
    }

    @Test func movieOutput_otherFrameSize_endsTheRecording() async throws {
        let fake = try started()
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<5, with: fake, from: 1_000, to: output)
        let larger = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 640, height: 480))
        fake.hardware.camera.become { FakeSource(larger) }
        fake.session.sessionPreset = .vga640x480
        #expect(fake.source.format == larger)
        fake.source.frame(at: 1_400)
        try await expectEndByConfiguration(frames: 5)
        fake.session.stopRunning()
    }

    @Test func movieOutput_sameFormatAfterAChange_continues() async throws {
        let fake = try started()
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<5, with: fake, from: 1_000, to: output)
        fake.session.sessionPreset = .vga640x480
        try await capture(5..<10, with: fake, from: 1_000, to: output)
        fake.session.addOutput(AVCaptureVideoDataOutput())
        try await capture(10..<12, with: fake, from: 1_000, to: output)
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error == nil)
        #expect(try probe("v:0", "stream=nb_read_frames") == "12")
        fake.session.stopRunning()
    }

    @Test func movieOutput_microphoneBackAtAnotherRate_endsTheRecording() async throws {
        let fake = try started(withAudio: true)
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<5, with: fake, from: 1_000, to: output)
        fake.microphoneSource.block(at: 1_000)
        fake.hardware.microphone.become {
            FakeSource(.audio(AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 1)))
        }
        fake.microphoneSource.send(.gone(FakeDevice.unplugged))
        try await waitUntil { fake.session.isInterrupted }
        fake.session.retryDevices()
        try await waitUntil { fake.hardware.microphone.sources.count == 2 && fake.microphoneSource.isStarted }
        let format = AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 1)
        fake.microphoneSource.send(
            .sample(
                SampleBuffer(
                    pcm: MediaData([UInt8](repeating: 0, count: 882)), format: format,
                    presentationTime: milliseconds(1_500))))
        try await expectEndByConfiguration(frames: 5)
        fake.session.stopRunning()
    }

    @Test func movieOutput_inputRemoved_endsTheRecording() async throws {
        let fake = try started(withAudio: true)
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await capture(0..<5, with: fake, from: 1_000, to: output)
        fake.session.removeInput(fake.session.inputs[1])
        try await expectEndByConfiguration(frames: 5)
        fake.session.stopRunning()
    }

    @Test func movieOutput_sessionNotRunning_reportsIt() async throws {
        let fake = try FakeSession()
        fake.session.addOutput(output)
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await waitUntil { recipient.isFinished }
        #expect(recipient.told == ["finished"] && recipient.error?.code == .sessionNotRunning)
    }

    @Test func movieOutput_fileThatExists_isNotTouched() async throws {
        let fake = try started()
        try Data("kept".utf8).write(to: movie)
        output.startRecording(to: movie, recordingDelegate: recipient)
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error?.code == .fileAlreadyExists && !output.isRecording)
        #expect(try Data(contentsOf: movie) == Data("kept".utf8))
        fake.session.stopRunning()
    }

    @Test func movieOutput_fileThatAppearsMeanwhile_isNotTouched() async throws {
        let fake = try started()
        output.startRecording(to: movie, recordingDelegate: recipient)
        for index in 0..<5 { fake.source.frame(at: 1_000 + index * 40) }
        try Data("kept".utf8).write(to: movie)
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error?.code == .fileAlreadyExists && recipient.error?.recordingSuccessfullyFinished == false)
        #expect(try Data(contentsOf: movie) == Data("kept".utf8))
        #expect(directory.names == ["movie.mov", "movie.recording.mov"])
        fake.session.stopRunning()
    }

    @Test func movieOutput_errors_reportIfTheMovieIsFinalized() throws {
        let full = MediaError(.diskFull, "cannot write", reason: "no space left")
        let kept = try #require(AVCaptureFileOutput.error(.failed(full), .success(())))
        #expect(kept.code == .diskFull && kept.recordingSuccessfullyFinished == true)
        #expect(kept.failureReason == "no space left")
        let number = (kept as NSError).userInfo[AVErrorRecordingSuccessfullyFinishedKey] as? NSNumber
        #expect(number?.boolValue == true)
        let lost = try #require(AVCaptureFileOutput.error(.stopped, .failure(full)))
        #expect(lost.code == .diskFull && lost.recordingSuccessfullyFinished == false)
        let empty = try #require(AVCaptureFileOutput.error(.stopped, .failure(MovieRecording.empty)))
        #expect(empty.code == .noDataCaptured && empty.recordingSuccessfullyFinished == false)
        #expect(AVCaptureFileOutput.error(.stopped, .success(())) == nil)
    }

    @Test func movieOutput_secondRecordingAtOnce_isRefused() async throws {
        let fake = try started()
        let second = Recipient()
        output.startRecording(to: movie, recordingDelegate: recipient)
        output.startRecording(to: directory.file("other.mov"), recordingDelegate: second)
        try await waitUntil { second.isFinished }
        #expect(second.error?.code == .recordingAlreadyInProgress && output.isRecording)
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error?.code == .noDataCaptured, "no frame came")
        #expect(!FileManager.default.fileExists(atPath: movie.path))
        fake.session.stopRunning()
    }

    @Test func movieOutput_settings_areUsed() async throws {
        let fake = try started()
        let connection = try #require(output.connection(with: .video))
        #expect(output.outputSettings(for: connection).isEmpty && output.availableVideoCodecTypes.contains(.jpeg))
        output.setOutputSettings([AVVideoCodecKey: AVVideoCodecType.jpeg], for: connection)
        let title = AVMutableMetadataItem()
        title.identifier = .quickTimeMetadataTitle
        title.value = "A title" as NSString
        output.metadata = [title]
        #expect(output.metadata?.count == 1 && output.movieFragmentInterval == .invalid)
        output.startRecording(to: movie, recordingDelegate: recipient)
        for index in 0..<5 { fake.source.frame(at: 1_000 + index * 40) }
        output.stopRecording()
        try await waitUntil { recipient.isFinished }
        #expect(recipient.error == nil && output.recordedFileSize == 0)
        #expect(try probe("v:0", "stream=codec_name") == "mjpeg")
        #expect(try probe("v:0", "format_tags=title,com.apple.quicktime.title").hasSuffix("A title"))
        fake.session.stopRunning()
    }
}
