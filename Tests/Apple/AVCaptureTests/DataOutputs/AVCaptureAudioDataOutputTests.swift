import FakeDevices
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCaptureAudioDataOutputTests {
    private let output = AVCaptureAudioDataOutput()
    private let delegate = Delegate()

    private func settings(rate: Int) -> [String: Any] {
        [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: rate, AVLinearPCMBitDepthKey: 32,
            AVLinearPCMIsFloatKey: true,
        ]
    }

    private func started() throws -> FakeSession {
        let fake = try FakeSession(withAudio: true)
        output.setSampleBufferDelegate(delegate, queue: DispatchQueue(label: "test"))
        fake.session.addOutput(output)
        fake.session.startRunning()
        return fake
    }

    @Test func audioOutput_settings_convertBlocks() async throws {
        output.audioSettings = settings(rate: 16_000)
        let fake = try started()
        fake.microphoneSource.send(.sample(audio(at: 100, value: 0x40)))
        fake.microphoneSource.send(.sample(audio(at: 200, value: 0x40)))
        try await waitUntil { delegate.samples.count == 2 }
        let (first, second) = (delegate.samples[0], delegate.samples[1])
        #expect(first.presentationTimeStamp == CMTime(value: 1, timescale: 10))
        #expect(second.presentationTimeStamp == first.presentationTimeStamp + first.duration)
        let form = try #require(first.formatDescription?.audioStreamBasicDescription)
        #expect(form.mSampleRate == 16_000 && form.mBitsPerChannel == 32 && form.mChannelsPerFrame == 1)
        // The microphone's frames and levels: half of full scale, about.
        #expect(output.ledger.captured == 9600 && output.ledger.delivered == 9600)
        let channel = try #require(output.connection(with: .audio)?.audioChannels.first)
        #expect(abs(channel.averagePowerLevel + 5.98) < 0.05)
        fake.session.stopRunning()
    }

    @Test func audioOutput_lossOfTheMicrophone_isNotFilled() async throws {
        output.audioSettings = settings(rate: 16_000)
        let fake = try started()
        fake.microphoneSource.block(at: 100)
        fake.microphoneSource.send(.lost(count: 960, cause: .device, near: milliseconds(220)))
        fake.microphoneSource.block(at: 220)
        try await waitUntil { delegate.samples.count == 3 }
        let counts = delegate.samples.map(\.numSamples)
        #expect(counts[0] + counts[1] == 1600 && delegate.told.last == "sample 220" && output.ledger.lost == 960)
        fake.session.stopRunning()
    }

    @Test func audioOutput_settingsWhileRunning_areUsedFromThenOn() async throws {
        let fake = try started()
        fake.microphoneSource.block(at: 100)
        try await waitUntil { delegate.samples.count == 1 }
        output.audioSettings = settings(rate: 48_000)
        fake.microphoneSource.block(at: 200)
        try await waitUntil { delegate.samples.count == 2 }
        output.audioSettings = nil
        fake.microphoneSource.block(at: 300)
        try await waitUntil { delegate.samples.count == 3 }
        let bits = delegate.samples.map { $0.formatDescription?.audioStreamBasicDescription?.mBitsPerChannel }
        #expect(bits == [16, 32, 16] && delegate.told == ["sample 100", "sample 200", "sample 300"])
        fake.session.stopRunning()
    }

    @Test func audioOutput_impossibleSettings_cannotBeAdded() throws {
        output.audioSettings = [AVFormatIDKey: kAudioFormatMPEG4AAC]
        let fake = try FakeSession(withAudio: true)
        #expect(!fake.session.canAddOutput(output))
        #expect(output.fault?.reason.contains(AVFormatIDKey) == true && output.audioSettings?.count == 1)
        output.audioSettings = nil
        #expect(fake.session.canAddOutput(output) && output.audioSettings == nil)
    }

    @Test func audioOutput_recommendedSettings_fitTheConvertedAudio() throws {
        let fake = try FakeSession(withAudio: true)
        fake.session.addOutput(output)
        output.audioSettings = settings(rate: 16_000)
        let aac = output.recommendedAudioSettingsForAssetWriter(writingTo: .m4a)
        #expect(aac?[AVSampleRateKey] as? Double == 16_000 && aac?[AVNumberOfChannelsKey] as? Int == 1)
        output.audioSettings = settings(rate: 17_000)
        #expect(output.recommendedAudioSettingsForAssetWriter(writingTo: .m4a) == nil)
    }
}
