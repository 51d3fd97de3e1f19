import CV4L2
import Glibc
import MediaCodecs
import MediaTypes
import RealTime

/// The running side of a camera: waits for frames, accounts for them and delivers them.
///
/// Created by the thread that opens the camera; run and then closed by the camera's own thread. If that thread never
/// started, the caller of `V4L2Camera.stop` closes the stream.
final class V4L2Stream: @unchecked Sendable {
    // Unchecked: used by one thread at a time, in the order above, with CaptureThread's lock between them.
    private let setup: V4L2Setup
    /// The format that each frame carries. Created once.
    private let format: FormatDescription
    private let name: String
    /// The buffers, which own the open device; nil once closed.
    private var queue: V4L2BufferQueue?
    /// The signal at the camera's input; nil if there is none to watch, and after `close`.
    private var signal: V4L2Signal?
    private let frameTimeout: Int64
    /// The duration of one frame; zero if the driver does not report it.
    private let frameInterval: MediaTime
    private let frames: PixelBufferPool?
    private let packets: MediaDataPool?
    private let clock = MonotonicClock()

    /// If at most this many buffers are queued, a frame is copied and its buffer is queued again at once. A camera
    /// without a queued buffer would drop frames.
    private static let fewestQueued = 2
    private static let mostMemory = 128 << 20

    /// Claims the camera: other programs are refused from here on.
    ///
    /// - Parameter frameTimeout: Nanoseconds without a frame after which the camera counts as lost.
    init(
        device: V4L2Device, setup: V4L2Setup, signal: V4L2Signal? = nil, frameTimeout: Int64
    ) throws(MediaError) {
        self.setup = setup
        self.signal = signal
        format = .video(setup.format)
        name = "\(device.path) (\(device.card))"
        self.frameTimeout = frameTimeout
        frameInterval = (setup.mode.frameRate?.interval ?? .zero).converted(to: 1_000_000)
        let count = min(8, max(4, Self.mostMemory / max(1, setup.byteCount)))
        // Encoders accept raw frames in these two formats only.
        let isEncodable = setup.layout?.format == .nv12 || setup.layout?.format == .i420
        let queue = try V4L2BufferQueue(
            device: device, count: count, exports: isEncodable && !setup.mode.isEmulated)
        self.queue = queue
        hasKernelTimes = queue.isMonotonic
        frames = setup.layout.map { PixelBufferPool(layout: $0, color: setup.color) }
        packets = setup.layout == nil ? MediaDataPool(byteCount: setup.byteCount) : nil
    }

    /// True if the driver reports that it stamps frames on the monotonic clock.
    let hasKernelTimes: Bool

    func start() throws(MediaError) {
        try signal?.settle("cannot start \(name)")
        try queue?.start()
    }

    /// The number of frames that were copied because few buffers were queued. For tests.
    let copiedCount = Locked<Int64>(0)

    /// Runs until `stop` fires or the camera fails. The caller closes the stream afterwards.
    func run(stop: WakeUp, receiver: (DeviceEvent) -> Void) {
        guard let queue else { return }
        let signal = signal
        let news = signal?.isWatched == true ? POLLPRI : 0
        var account = FrameAccount(start: clock.nanoseconds, interval: setup.mode.frameRate?.interval.nanoseconds)
        var watch = FrameWatch(timeout: frameTimeout, start: clock.nanoseconds)
        var conversionErrors = 0
        var waits = [
            pollfd(fd: queue.descriptor, events: Int16(POLLIN | news), revents: 0),
            pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let left = watch.timeLeft(at: clock.nanoseconds)
            let ready = poll(&waits, 2, Int32(clamping: left / 1_000_000 + 1))
            if waits[1].revents != 0 { return }
            if ready < 0 { continue }
            if ready == 0 {
                guard watch.timeLeft(at: clock.nanoseconds) == 0 else { continue }
                return receiver(.gone(failed("no frame for \(frameTimeout / 1_000_000_000) s", ETIMEDOUT, signal)))
            }
            if waits[0].revents & Int16(news) != 0, let signal {
                if signal.hasChanged() { return receiver(.gone(signal.loss("lost the camera \(name)"))) }
                // An event that cannot be dequeued would be reported again at once, endlessly.
                waits[0].events = Int16(POLLIN)
            }
            switch queue.dequeue() {
            case .filled(let filled):
                let now = clock.nanoseconds
                conversionErrors = 0
                let isDelivered = deliver(filled, of: queue, at: now, account: &account, to: receiver)
                watch.record(isDamaged: !isDelivered, at: now)
                let code = queue.queueReturned()
                if code != 0 { return receiver(.gone(lost("it was unplugged", code))) }
                if watch.isDamaged(at: now) {
                    let seconds = watch.damageTimeout / 1_000_000_000
                    return receiver(.gone(failed("only damaged frames for \(seconds) s", EIO, signal)))
                }
            case .nothingYet:
                // An error condition without a buffer would be reported again at once, endlessly.
                if waits[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
                    return receiver(.gone(failed("its driver stopped the stream", EIO, signal)))
                }
            case .failed(EIO) where setup.mode.isEmulated && conversionErrors < 30:
                // libv4l2 could not convert a frame; it has already queued the buffer again.
                conversionErrors += 1
                receiver(.lost(count: 1, cause: .corrupt, near: MediaTime(nanoseconds: clock.nanoseconds)))
            case .failed(let code):
                guard code != ENODEV else { return receiver(.gone(lost("it was unplugged", code))) }
                return receiver(.gone(failed("its driver stopped the stream", code, signal)))
            }
        }
    }

    /// Stops the stream and closes the camera. Lent frames stay valid.
    func close() {
        queue?.stop()
        queue = nil
        signal = nil
    }

    /// Delivers a frame, or counts it as lost.
    ///
    /// - Returns: false if the frame is damaged.
    private func deliver(
        _ filled: V4L2BufferQueue.Filled, of queue: V4L2BufferQueue, at now: Int64, account: inout FrameAccount,
        to receiver: (DeviceEvent) -> Void
    ) -> Bool {
        let stamp = account.time(stamp: filled.isMonotonic ? filled.stamp : nil, now: now)
        // A frame that is stamped at its end was captured one interval earlier. The earlier time matches the audio.
        let time = filled.isMonotonic && filled.isStampedAtStart ? stamp : stamp - frameInterval
        let gap = account.framesLost(before: filled.sequence, at: time)
        if gap > 0 { receiver(.lost(count: gap, cause: .device, near: time)) }
        let isWhole = filled.byteCount >= (setup.layout?.byteCount ?? 1)
        guard !filled.isCorrupt, isWhole else {
            queue.giveBack(filled)
            receiver(.lost(count: 1, cause: .corrupt, near: time))
            return false
        }
        let codec = setup.mode.pixelFormat.codec
        let isKeyframe =
            !codec.hasDependentFrames || filled.isKeyframe
            || AnnexB.startsWithKeyframe(queue.bytes(of: filled), of: codec)
        guard let content = content(of: filled, in: queue) else {
            receiver(.lost(count: 1, cause: .corrupt, near: time))
            return false
        }
        receiver(
            .sample(
                SampleBuffer(
                    format: format, content: content, presentationTime: time, isKeyframe: isKeyframe)))
        return true
    }

    /// Returns the frame's bytes: the lent driver buffer, or a copy if few buffers are queued or the buffer is
    /// libv4l2's.
    private func content(of filled: V4L2BufferQueue.Filled, in queue: V4L2BufferQueue) -> SampleBuffer.Content? {
        let mustCopy = setup.mode.isEmulated || queue.queuedCount <= Self.fewestQueued
        guard mustCopy else {
            let data = queue.lend(filled)
            guard let layout = setup.layout else { return .data(data) }
            return .pixels(PixelBuffer(layout: layout, color: setup.color, data: data))
        }
        copiedCount.withLock { $0 += 1 }
        let bytes = queue.bytes(of: filled)
        defer {
            queue.giveBack(filled)
            _ = queue.queueReturned()
        }
        if let frames {
            let frame = frames.makeBuffer()
            for index in frame.layout.planes.indices {
                let plane = frame.layout.planes[index]
                let size = plane.bytesPerRow * plane.rows
                frame.plane(index).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[plane.offset..<(plane.offset + size)]))
            }
            return .pixels(frame.finish())
        }
        return packets?.makeData { target in
            let count = min(bytes.count, target.count)
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            return count
        }.map { .data($0) }
    }

    /// Returns the error of a stream that ended: the fault of the signal at the camera's input, else `reason`.
    private func failed(_ reason: String, _ code: Int32, _ signal: V4L2Signal?) -> MediaError {
        signal?.absence("lost the camera \(name)") ?? lost(reason, code)
    }

    private func lost(_ reason: String, _ code: Int32) -> MediaError {
        MediaError(
            .deviceLost, "lost the camera \(name)", reason: reason, underlying: .errno(code))
    }
}
