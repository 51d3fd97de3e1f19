import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct AVCaptureDataOutputSynchronizerTests {
    /// Writes down what it gets: `video 40 audio 40`, and the reason of what was dropped.
    private final class Recipient: NSObject, AVCaptureDataOutputSynchronizerDelegate, @unchecked Sendable {
        // Unchecked: the closure never changes, and the rest is locked.
        private let lines = Locked<[String]>([])
        private let last = Locked<AVCaptureSynchronizedDataCollection?>(nil)
        private let whenCalled: @Sendable () -> Void

        init(_ whenCalled: @escaping @Sendable () -> Void = {}) { self.whenCalled = whenCalled }

        var told: [String] { lines.withLock { $0 } }
        var collection: AVCaptureSynchronizedDataCollection? { last.withLock { $0 } }

        func dataOutputSynchronizer(
            _ synchronizer: AVCaptureDataOutputSynchronizer,
            didOutput synchronizedDataCollection: AVCaptureSynchronizedDataCollection
        ) {
            let words = synchronizer.dataOutputs.compactMap { output -> String? in
                guard
                    let data = synchronizedDataCollection.synchronizedData(for: output)
                        as? AVCaptureSynchronizedSampleBufferData
                else { return nil }
                let name = output is AVCaptureVideoDataOutput ? "video" : "audio"
                let time = CMTimeConvertScale(data.timestamp, timescale: 1000, method: .default).value
                return data.sampleBufferWasDropped ? "\(data.droppedReason) \(time)" : "\(name) \(time)"
            }
            lines.withLock { $0.append(words.joined(separator: " ")) }
            last.withLock { $0 = synchronizedDataCollection }
            whenCalled()
        }
    }

    private let video = AVCaptureVideoDataOutput()
    private let audio = AVCaptureAudioDataOutput()

    private func started(withAudio: Bool) throws -> FakeSession {
        let fake = try FakeSession(withAudio: withAudio)
        fake.session.addOutput(video)
        if withAudio { fake.session.addOutput(audio) }
        fake.session.startRunning()
        return fake
    }

    @Test func synchronizer_samplesOfOneTime_arriveTogether() async throws {
        let fake = try started(withAudio: true)
        let (recipient, queue) = (Recipient(), DispatchQueue(label: "test"))
        let synchronizer = AVCaptureDataOutputSynchronizer(dataOutputs: [video, audio])
        #expect(synchronizer.dataOutputs == [video, audio] && synchronizer.delegate == nil)
        synchronizer.setDelegate(recipient, queue: queue)
        #expect(synchronizer.delegate === recipient && synchronizer.delegateCallbackQueue === queue)
        fake.source.frame(at: 100)
        fake.microphoneSource.block(at: 104)
        try await waitUntil { recipient.told == ["video 100 audio 104"] }
        let collection = try #require(recipient.collection)
        #expect(collection.count == 2 && collection.map(\.timestamp.seconds) == [0.1, 0.104])
        let frame = try #require(collection[video] as? AVCaptureSynchronizedSampleBufferData)
        #expect(CMSampleBufferGetImageBuffer(frame.sampleBuffer) != nil && frame.droppedReason == .none)
        #expect(collection.synchronizedData(for: AVCaptureVideoDataOutput()) == nil)
        #expect(video.ledger.delivered == 1 && audio.ledger.delivered == 4800)
        fake.session.stopRunning()
    }

    @Test func synchronizer_slowDelegate_getsDroppedFrames() async throws {
        let (entered, mayLeave, isFirst) = (Gate(), Gate(), Locked(true))
        let recipient = Recipient {
            let waits = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            guard waits else { return }
            entered.open()
            mayLeave.wait()
        }
        let fake = try started(withAudio: false)
        let synchronizer = AVCaptureDataOutputSynchronizer(dataOutputs: [video])
        synchronizer.setDelegate(recipient, queue: DispatchQueue(label: "test"))
        fake.source.frame(at: 0)
        try await waitUntil { entered.isOpen() }
        fake.source.frame(at: 33)
        fake.source.send(.lost(count: 2, cause: .device, near: milliseconds(133)))
        fake.source.frame(at: 133)
        mayLeave.open()
        try await waitUntil { recipient.told.count == 4 }
        #expect(recipient.told == ["video 0", "lateData 33", "discontinuity 133", "video 133"])
        fake.session.stopRunning()
    }

    @Test func synchronizer_sessionStopped_deliversWhatWaits() async throws {
        let (fake, recipient) = (try started(withAudio: true), Recipient())
        let synchronizer = AVCaptureDataOutputSynchronizer(dataOutputs: [video, audio])
        synchronizer.setDelegate(recipient, queue: DispatchQueue(label: "test"))
        fake.source.frame(at: 100)
        try await waitUntil { video.ledger.delivered == 1 }
        #expect(recipient.told.isEmpty, "audio may follow")
        fake.session.stopRunning()
        try await waitUntil { recipient.told == ["video 100"] }
        #expect(synchronizer.delegate === recipient)
    }

    @Test func synchronizer_released_leavesTheOutputsToTheirDelegates() async throws {
        let (fake, recipient, own) = (try started(withAudio: false), Recipient(), Delegate())
        video.setSampleBufferDelegate(own, queue: DispatchQueue(label: "own"))
        var synchronizer: AVCaptureDataOutputSynchronizer? = AVCaptureDataOutputSynchronizer(dataOutputs: [video])
        synchronizer?.setDelegate(recipient, queue: DispatchQueue(label: "test"))
        fake.source.frame(at: 0)
        try await waitUntil { recipient.told == ["video 0"] }
        synchronizer?.setDelegate(nil, queue: nil)
        #expect(synchronizer?.delegateCallbackQueue == nil)
        fake.source.frame(at: 33)
        try await waitUntil { own.told == ["sample 33"] }
        synchronizer?.setDelegate(recipient, queue: nil)
        synchronizer = nil
        fake.source.frame(at: 66)
        try await waitUntil { own.told == ["sample 33", "sample 66"] }
        #expect(recipient.told == ["video 0"])
        fake.session.stopRunning()
    }

    @Test func synchronizer_otherOutputs_areLeftOut() {
        let outputs: [AVCaptureOutput] = [AVCapturePhotoOutput(), video, video]
        #expect(AVCaptureDataOutputSynchronizer(dataOutputs: outputs).dataOutputs == [video])
    }
}
