import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCaptureDataOutputTests {
    private func started(
        _ format: FormatDescription? = nil, _ output: AVCaptureVideoDataOutput, _ delegate: Delegate
    ) throws -> FakeSession {
        let fake = try FakeSession(format.map { FakeHardware($0) } ?? FakeHardware())
        output.setSampleBufferDelegate(delegate, queue: DispatchQueue(label: "test"))
        fake.session.addOutput(output)
        fake.session.startRunning()
        return fake
    }

    @Test func videoOutput_frame_isLentWithItsTime() async throws {
        let (output, delegate) = (AVCaptureVideoDataOutput(), Delegate())
        let fake = try started(nil, output, delegate)
        let layout = PixelLayout(format: .nv12, width: 64, height: 32)
        let pixels = PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 7, count: layout.byteCount)))
        fake.source.send(.sample(SampleBuffer(pixels: pixels, presentationTime: milliseconds(40))))
        try await waitUntil { !delegate.samples.isEmpty }
        #expect(delegate.told == ["sample 40"])
        let frame = try #require(CMSampleBufferGetImageBuffer(delegate.samples[0]))
        // The same memory: nothing was copied on the way.
        let address = try #require(CVPixelBufferGetBaseAddressOfPlane(frame, 0))
        #expect(UnsafeRawPointer(address) == pixels.plane(0).baseAddress)
        #expect(CVPixelBufferGetPixelFormatType(frame) == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        #expect(output.sampleBufferDelegate === delegate && output.sampleBufferCallbackQueue != nil)
        fake.session.stopRunning()
    }

    @Test func videoOutput_slowDelegate_getsLateFramesReported() async throws {
        let (entered, mayLeave) = (Gate(), Gate())
        let isFirst = Locked(true)
        let delegate = Delegate {
            guard
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return }
            entered.open()
            mayLeave.wait()
        }
        let output = AVCaptureVideoDataOutput()
        let fake = try started(nil, output, delegate)
        fake.source.frame(at: 0)
        try await waitUntil { entered.isOpen() }
        for time in [33, 66, 100] { fake.source.frame(at: time) }
        mayLeave.open()
        try await waitUntil { delegate.told.count == 4 }
        #expect(delegate.told == ["sample 0", "FrameWasLate 33", "FrameWasLate 66", "sample 100"])
        let ledger = output.ledger
        #expect(ledger.captured == 4 && ledger.delivered == 2 && ledger.late == 2 && ledger.waiting == 0)
        fake.session.stopRunning()
    }

    @Test func videoOutput_lateFramesKept_waitInOrder() async throws {
        let (entered, mayLeave) = (Gate(), Gate())
        let isFirst = Locked(true)
        let delegate = Delegate {
            guard
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return }
            entered.open()
            mayLeave.wait()
        }
        let output = AVCaptureVideoDataOutput()
        #expect(output.alwaysDiscardsLateVideoFrames)
        output.alwaysDiscardsLateVideoFrames = false
        let fake = try started(nil, output, delegate)
        fake.source.frame(at: 0)
        try await waitUntil { entered.isOpen() }
        for index in 1...17 { fake.source.frame(at: index * 33) }
        mayLeave.open()
        try await waitUntil { delegate.told.count == 18 }
        let expected = (0...16).map { "sample \($0 * 33)" } + ["OutOfBuffers 561"]
        #expect(delegate.told == expected && output.ledger.full == 1)
        fake.session.stopRunning()
    }

    @Test func videoOutput_lossOfTheCamera_isReported() async throws {
        let (output, delegate) = (AVCaptureVideoDataOutput(), Delegate())
        output.alwaysDiscardsLateVideoFrames = false
        let fake = try started(nil, output, delegate)
        fake.source.frame(at: 0)
        fake.source.send(.lost(count: 2, cause: .device, near: milliseconds(100)))
        fake.source.frame(at: 100)
        try await waitUntil { delegate.told.count == 3 }
        #expect(delegate.told == ["sample 0", "Discontinuity 100", "sample 100"] && output.ledger.lost == 2)
        fake.session.stopRunning()
    }

    @Test func videoOutput_settings_convertFrames() async throws {
        let (output, delegate) = (AVCaptureVideoDataOutput(), Delegate())
        output.videoSettings = [
            kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA,
            kCVPixelBufferWidthKey as String: 32, kCVPixelBufferHeightKey as String: 16,
        ]
        let fake = try started(nil, output, delegate)
        #expect(output.availableVideoPixelFormatTypes.contains(kCVPixelFormatType_32BGRA))
        #expect(output.availableVideoPixelFormatTypes[0] == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        #expect(output.availableVideoCodecTypes.isEmpty)
        fake.source.frame(at: 0)
        try await waitUntil { !delegate.samples.isEmpty }
        let frame = try #require(CMSampleBufferGetImageBuffer(delegate.samples[0]))
        #expect(CVPixelBufferGetPixelFormatType(frame) == kCVPixelFormatType_32BGRA)
        #expect(CVPixelBufferGetWidth(frame) == 32 && CVPixelBufferGetHeight(frame) == 16)
        fake.session.stopRunning()
    }

    @Test func videoOutput_damagedJPEG_isReportedAndCounted() async throws {
        let jpeg = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 32))
        let (output, delegate) = (AVCaptureVideoDataOutput(), Delegate())
        let fake = try started(jpeg, output, delegate)
        let packet = SampleBuffer(
            format: jpeg, content: .data(MediaData([1, 2, 3])), presentationTime: milliseconds(20))
        fake.source.send(.sample(packet))
        try await waitUntil { output.ledger.failed == 1 }
        #expect(delegate.told == ["Discontinuity 20"] && output.ledger.delivered == 0)
        // Empty settings: as the camera delivers it.
        output.videoSettings = [:]
        fake.source.send(.sample(packet.at(milliseconds(40))))
        try await waitUntil { delegate.told.last == "sample 40" }
        #expect(delegate.samples.last?.dataBuffer?.dataLength == 3)
        fake.session.stopRunning()
    }

    @Test func videoOutput_impossibleSettings_cannotBeAdded() throws {
        let output = AVCaptureVideoDataOutput()
        output.videoSettings = [AVVideoCodecKey: AVVideoCodecType.h264]
        let fake = try FakeSession()
        #expect(!fake.session.canAddOutput(output))
        output.videoSettings = nil
        #expect(fake.session.canAddOutput(output) && output.videoSettings == nil)
    }

    @Test func outputs_recommendedSettings_fitTheDevices() throws {
        let fake = try FakeSession(withAudio: true)
        let (video, audio) = (AVCaptureVideoDataOutput(), AVCaptureAudioDataOutput())
        #expect(video.recommendedVideoSettingsForAssetWriter(writingTo: .mov) == nil)
        fake.session.addOutput(video)
        fake.session.addOutput(audio)
        let settings = try #require(video.recommendedVideoSettingsForAssetWriter(writingTo: .mov))
        #expect(settings[AVVideoWidthKey] as? Int == 1280 && settings[AVVideoHeightKey] as? Int == 720)
        #expect(settings[AVVideoCodecKey] as? String == AVVideoCodecType.h264.rawValue)
        let properties = settings[AVVideoCompressionPropertiesKey] as? [String: Any]
        #expect(properties?[AVVideoExpectedSourceFrameRateKey] as? Double == 30)
        #expect(
            video.recommendedVideoSettings(forVideoCodecType: .proRes422, assetWriterOutputFileType: .mp4) == nil)
        #expect(video.availableVideoCodecTypesForAssetWriter(writingTo: .mp4) == [.h264, .hevc])
        let aac = try #require(audio.recommendedAudioSettingsForAssetWriter(writingTo: .mov))
        #expect(aac[AVNumberOfChannelsKey] as? Int == 1 && aac[AVSampleRateKey] as? Double == 48_000)
        #expect(audio.recommendedAudioSettingsForAssetWriter(writingTo: .wav) == nil)
        let inputs = [
            AVAssetWriterInput(mediaType: .video, outputSettings: settings),
            AVAssetWriterInput(mediaType: .audio, outputSettings: aac),
        ]
        let directory = try TemporaryDirectory()
        let writer = try AVAssetWriter(outputURL: directory.file("movie.mov"), fileType: .mov)
        #expect(inputs.allSatisfy { writer.canAdd($0) })
    }

    @Test func outputs_turnedConnection_recommendTheSizeOfDeliveredFrames() throws {
        let (fake, output) = (try FakeSession(), AVCaptureVideoDataOutput())
        fake.session.addOutput(output)
        let connection = try #require(output.connection(with: .video))
        connection.videoOrientation = .portraitUpsideDown
        let settings = try #require(output.recommendedVideoSettingsForAssetWriter(writingTo: .mov))
        #expect(settings[AVVideoWidthKey] as? Int == 720 && settings[AVVideoHeightKey] as? Int == 1280)
    }

    @Test func audioOutput_blocks_arriveWithLevels() async throws {
        let fake = try FakeSession(withAudio: true)
        let (output, delegate) = (AVCaptureAudioDataOutput(), Delegate())
        output.setSampleBufferDelegate(delegate, queue: DispatchQueue(label: "test"))
        fake.session.addOutput(output)
        let connection = try #require(output.connection(with: .audio))
        #expect(connection.audioChannels.isEmpty)
        fake.session.startRunning()
        // Each sample is 0x4040: half of full scale, about.
        fake.microphoneSource.send(.sample(audio(at: 100, value: 0x40)))
        try await waitUntil { delegate.told == ["sample 100"] }
        #expect(delegate.samples[0].numSamples == 4800 && output.ledger.delivered == 4800)
        let channel = try #require(connection.audioChannels.first)
        #expect(abs(channel.averagePowerLevel + 5.98) < 0.05 && abs(channel.peakHoldLevel + 5.98) < 0.05)
        #expect(output.sampleBufferDelegate === delegate && output.sampleBufferCallbackQueue != nil)
        connection.isEnabled = false
        fake.microphoneSource.block(at: 200)
        #expect(output.ledger.captured == 4800 && !connection.isActive)
        fake.session.stopRunning()
    }

    @Test func videoOutput_delegateReleasedWhileAFrameWaits_countsItAsDropped() async throws {
        let (output, queue, fake) = (AVCaptureVideoDataOutput(), DispatchQueue(label: "test"), try FakeSession())
        fake.session.addOutput(output)
        queue.suspend()
        captureAFrame(of: fake, to: output, on: queue)
        #expect(output.sampleBufferDelegate == nil && output.ledger.waiting == 1)
        queue.resume()
        try await waitUntil { output.ledger.late == 1 }
        #expect(output.ledger.delivered == 0 && output.ledger.captured == 1)
        fake.session.stopRunning()
    }

    /// Captures a frame for a delegate that is released then.
    private func captureAFrame(of fake: FakeSession, to output: AVCaptureVideoDataOutput, on queue: DispatchQueue) {
        let delegate = Delegate()
        output.setSampleBufferDelegate(delegate, queue: queue)
        fake.session.startRunning()
        withExtendedLifetime(delegate) { fake.source.frame(at: 0) }
    }

    @Test func output_withoutDelegate_countsNothing() throws {
        let (output, delegate) = (AVCaptureVideoDataOutput(), Delegate())
        let fake = try started(nil, output, delegate)
        output.setSampleBufferDelegate(nil, queue: nil)
        fake.source.frame(at: 0)
        #expect(output.ledger.captured == 0 && output.sampleBufferDelegate == nil)
        #expect(output.sampleBufferCallbackQueue == nil && delegate.told.isEmpty)
        fake.session.stopRunning()
    }
}
