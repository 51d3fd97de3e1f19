import Capture
import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import LibcameraCapture

@Suite struct LibcameraCameraTests {
    /// The events of a camera, and the samples that are kept.
    private final class Events: Sendable {
        private struct State {
            var samples: [SampleBuffer] = []
            var count = 0
            var lost: Int64 = 0
            var error: MediaError?
        }

        private let state = Locked(State())
        private let keeps: Bool

        init(keeps: Bool = false) { self.keeps = keeps }

        var samples: [SampleBuffer] { state.withLock { $0.samples } }
        var count: Int { state.withLock { $0.count } }
        var lost: Int64 { state.withLock { $0.lost } }
        var error: MediaError? { state.withLock { $0.error } }

        func release() { state.withLock { $0.samples = [] } }

        func receive(_ event: DeviceEvent) {
            state.withLock { state in
                switch event {
                case .sample(let sample):
                    state.count += 1
                    if keeps { state.samples.append(sample) }
                case .lost(let count, _, _): state.lost += count
                case .gone(let error): state.error = error
                case .back: break
                }
            }
        }
    }

    private func open(_ helper: FakeHelper) throws -> LibcameraCamera {
        try LibcameraCamera(StreamRequest(camera: "fake"), launcher: helper.launcher) { _, _, _ in }
    }

    /// Returns a helper that sends frames at once, each in a buffer that is free, and then waits for the end.
    private func newHelper(frames: Int) -> FakeHelper {
        FakeHelper { helper, socket in
            guard helper.openAndStart(socket) else { return }
            var free = [0, 1, 2, 3]
            for number in 0..<frames {
                if free.isEmpty {
                    guard let bytes = helper.receive(socket) else { return }
                    free.append(Int(bytes[MessageLayout.bufferAt]))
                }
                let now = MonotonicClock().nanoseconds
                helper.send(socket, .frame(free.removeFirst(), sequence: UInt32(number), sensor: now))
            }
            while helper.receive(socket) != nil {}
        }
    }

    @Test func camera_framesOfTheHelper_areLentAndReturned() throws {
        let helper = newHelper(frames: 50)
        let camera = try open(helper)
        #expect(camera.summary == "fake (libcamera 0.4.0): 1280×720 nv12 at 30 fps")
        #expect(camera.frameRate == FrameRate(30))
        let events = Events()
        try camera.start { events.receive($0) }
        #expect(eventually { events.count == 50 })
        camera.stop()
        #expect(events.error == nil && helper.isClosed && helper.endCount == 1)
        #expect(helper.returned.count == 50)
    }

    @Test func camera_framesThatAreKept_areCopiedAndStayValid() throws {
        let helper = newHelper(frames: 20)
        let camera = try open(helper)
        let events = Events(keeps: true)
        try camera.start { events.receive($0) }
        #expect(eventually { events.count == 20 })
        camera.stop()
        let samples = events.samples
        try #require(samples.count == 20)
        for sample in samples {
            guard case .pixels(let pixels) = sample.content else {
                Issue.record("not a raw frame")
                return
            }
            let bytes = pixels.plane(1)
            // The number of the buffer, in all bytes.
            #expect(bytes.count == 1280 * 360 && bytes[0] < 4 && bytes[0] == bytes[bytes.count - 1])
        }
        events.release()
    }

    @Test func camera_helperThatEnds_isGone() throws {
        let helper = FakeHelper { helper, socket in
            guard helper.openAndStart(socket) else { return }
            helper.send(socket, .frame(0, sequence: 0, sensor: MonotonicClock().nanoseconds))
        }
        let camera = try open(helper)
        let events = Events()
        try camera.start { events.receive($0) }
        #expect(eventually { events.error != nil })
        #expect(events.error?.code == .deviceLost && events.error?.underlying == .other("exit status", 7))
        #expect(events.count == 1)
        camera.stop()
        #expect(helper.endCount == 1)
    }

    @Test func camera_invalidFrame_endsTheHelperAlone() throws {
        let helper = FakeHelper { helper, socket in
            guard helper.openAndStart(socket) else { return }
            helper.send(socket, .frame(9, sequence: 0, sensor: MonotonicClock().nanoseconds))
            while helper.receive(socket) != nil {}
        }
        let camera = try open(helper)
        let events = Events()
        try camera.start { events.receive($0) }
        #expect(eventually { events.error != nil && helper.endCount == 1 })
        #expect(events.error?.description.contains("buffer 9") == true)
        camera.stop()
    }

    @Test func camera_helperThatDoesNotRead_isGone() throws {
        let helper = FakeHelper { helper, socket in
            guard helper.openAndStart(socket) else { return }
            // Each frame is released at once, so its buffer is returned before the next one is looked at.
            for number in 0..<500 {
                helper.send(socket, .frame(0, sequence: UInt32(number), sensor: MonotonicClock().nanoseconds))
            }
            // Until the recorder has closed its end, which poll(2) reports without reading.
            var wait = pollfd(fd: socket, events: 0, revents: 0)
            _ = poll(&wait, 1, 60_000)
        }
        let camera = try open(helper)
        let events = Events()
        try camera.start { events.receive($0) }
        #expect(eventually { events.error != nil })
        #expect(events.error?.reason == "its helper does not read its messages")
        // The socket has room for many returned buffers, and not for all.
        #expect(events.count > 20 && events.count < 500)
        camera.stop()
        #expect(helper.endCount == 1)
    }

    @Test(arguments: 0..<9)
    func camera_helperKilledAtAnyMoment_isAnError(step: Int) {
        let helper = FakeHelper { helper, socket in
            let isOver = { (moment: Int) in step <= moment }
            if isOver(0) { return }
            helper.send(socket, .hello())
            if isOver(1) { return }
            guard helper.wait(socket, for: .open), !isOver(2) else { return }
            helper.send(socket, .configured())
            if isOver(3) { return }
            for index in 0..<4 {
                let memory = SharedFile(byteCount: Int(HelperBytes.frameBytes), filledWith: 0, true)
                withExtendedLifetime(memory) {
                    helper.send(socket, .buffer(index), descriptors: [memory.descriptor])
                }
                // After two of four buffers.
                if index == 1, isOver(4) { return }
            }
            if isOver(5) { return }
            guard helper.wait(socket, for: .start), !isOver(6) else { return }
            helper.send(socket, HelperBytes(.started))
            if isOver(7) { return }
            for number in 0..<2 {
                helper.send(socket, .frame(number, sequence: UInt32(number), sensor: MonotonicClock().nanoseconds))
            }
        }
        let events = Events(keeps: true)
        var failure: MediaError?
        do throws(MediaError) {
            let camera = try LibcameraCamera(StreamRequest(camera: "fake"), launcher: helper.launcher) { _, _, _ in }
            do throws(MediaError) {
                try camera.start { events.receive($0) }
                let isGone = eventually { events.error != nil }
                #expect(isGone)
                failure = events.error
            } catch { failure = error }
            camera.stop()
        } catch { failure = error }
        #expect(failure?.code == .deviceLost && failure?.underlying == .other("exit status", 7))
        #expect(helper.startCount == 1 && helper.endCount == 1)
        #expect(events.count == (step == 8 ? 2 : 0))
        // The frames stay readable without their helper.
        for sample in events.samples {
            guard case .pixels(let pixels) = sample.content else {
                Issue.record("not a raw frame")
                return
            }
            #expect(pixels.plane(1).allSatisfy { $0 == 0 })
        }
    }

    @Test func open_busyCamera_isRefusedWithTheReason() {
        let helper = FakeHelper { helper, socket in
            helper.send(socket, .hello())
            guard helper.wait(socket, for: .open) else { return }
            helper.send(socket, .failure(.busy, errno: 16, "another program uses it"))
        }
        let error = #expect(throws: MediaError.self) { try open(helper) }
        #expect(error?.code == .busy && error?.underlying == .errno(16))
        #expect(helper.endCount == 1)
    }

    @Test func open_failureOfTheHelper_isTheError() {
        let cases: [(cause: HelperFailure.Cause, number: Int32, reason: String, code: MediaError.Code)] = [
            (.notPermitted, 13, "it may not open /dev/media0", .notPermitted),
            (.notFound, 19, "libcamera lists 0 cameras; some need /dev/dma_heap, which is missing", .notFound),
            (.failed, 12, "cannot allocate buffers: Cannot allocate memory", .ioFailure),
            (.unsuitable, 0, "it has no frames of 1x1; nearest is 32x32", .deviceUnsuitable),
            (.lost, 19, "it was unplugged", .deviceLost),
        ]
        for (cause, number, reason, code) in cases {
            let helper = FakeHelper { helper, socket in
                helper.send(socket, .hello())
                guard helper.wait(socket, for: .open) else { return }
                helper.send(socket, .failure(cause, errno: number, reason))
            }
            let error = #expect(throws: MediaError.self) { try open(helper) }
            let underlying: MediaError.Underlying? = number == 0 ? nil : .errno(number)
            #expect(error?.code == code && error?.reason == reason && error?.underlying == underlying)
            #expect(helper.endCount == 1)
        }
    }

    @Test func open_memoryThatCanShrink_isRefused() {
        let helper = FakeHelper { helper, socket in _ = helper.openAndStart(socket, isSealed: false) }
        let error = #expect(throws: MediaError.self) { try open(helper) }
        #expect(error?.reason.contains("not a dma-buf") == true)
    }

    @Test func start_refusedControl_isTheError() throws {
        let helper = FakeHelper { helper, socket in
            helper.send(socket, .hello())
            guard helper.wait(socket, for: .open) else { return }
            helper.send(socket, .configured(buffers: 1))
            let memory = SharedFile(byteCount: Int(HelperBytes.frameBytes), filledWith: 0, true)
            withExtendedLifetime(memory) {
                helper.send(socket, .buffer(0), descriptors: [memory.descriptor])
            }
            guard helper.wait(socket, for: .set) else { return }
            helper.send(socket, .failure(.invalidControl, errno: 22, "it has no control Brightnes"))
        }
        let camera = try LibcameraCamera(
            StreamRequest(camera: "fake"), controls: [(name: "Brightnes", value: 1)], launcher: helper.launcher
        ) { _, _, _ in }
        let error = #expect(throws: MediaError.self) { try camera.start { _ in } }
        #expect(error?.code == .invalidSettings)
        camera.stop()
    }

    @Test func open_requestThatFitsNoMessage_startsNoHelper() {
        let helper = FakeHelper { _, _ in }
        let name = String(repeating: "a", count: 161)
        let long = #expect(throws: MediaError.self) {
            try LibcameraCamera(StreamRequest(camera: name), launcher: helper.launcher) { _, _, _ in }
        }
        let control = #expect(throws: MediaError.self) {
            try LibcameraCamera(
                StreamRequest(camera: "fake"), controls: [(name: "Gain", value: .infinity)], launcher: helper.launcher
            ) { _, _, _ in }
        }
        #expect(long?.code == .invalidSettings && control?.code == .invalidSettings && helper.startCount == 0)
    }

    @Test func open_interrupted_endsTheHelperAtOnce() throws {
        let helper = FakeHelper { helper, socket in while helper.receive(socket) != nil {} }
        let camera = ReconnectingLibcameraCamera(StreamRequest(camera: "fake"), launcher: helper.launcher)
        let refusal = Locked<MediaError?>(nil)
        let thread = try NamedThread("opens") {
            do throws(MediaError) { _ = try camera.open() } catch { refusal.withLock { $0 = error } }
        }
        #expect(eventually { helper.startCount == 1 })
        camera.interrupt()
        thread.join()
        let code = refusal.withLock { $0?.code }
        #expect(code == .cancelled && helper.endCount == 1)
        // A further opening ends too.
        let again = #expect(throws: MediaError.self) { try camera.open() }
        #expect(again?.code == .cancelled)
    }

    @Test func open_helperThatFailsAgain_isNotStartedAtOnce() {
        let helper = FakeHelper { _, _ in }
        let camera = ReconnectingLibcameraCamera(StreamRequest(camera: "fake"), launcher: helper.launcher)
        let first = #expect(throws: MediaError.self) { try camera.open() }
        let second = #expect(throws: MediaError.self) { try camera.open() }
        #expect(first == second && first?.code == .deviceLost)
        #expect(helper.startCount == 1)
    }
}
