import Glibc
import MediaTypes
import RealTime

/// The running side of a microphone: waits for a block, times it and delivers it; recovers from xruns.
///
/// The first blocks are one period long, so that a recording begins soon. Later blocks are up to three periods long,
/// which takes a third of the wake-ups.
///
/// Created by the thread that opens the microphone; run and then closed by the microphone's own thread. If that thread
/// never started, the caller of `ALSAMicrophone.stop` closes the stream.
final class ALSAStream: @unchecked Sendable {
    // Unchecked: used by one thread at a time, in the order above, with CaptureThread's lock between them.
    private var device: ALSADevice?
    private let name: String
    private let setup: ALSADevice.Setup
    private let blocks: MediaDataPool
    private let largestBlockFrames: Int
    private var blockFrames: Int
    /// The number of reads with small blocks.
    private var smallBlocks = 0
    private let silenceTimeout: Int64
    private let clock = MonotonicClock()
    private var account: AudioAccount
    private var failedRecoveries = 0

    init(_ device: ALSADevice, _ setup: ALSADevice.Setup, silenceTimeout: Int64) {
        self.device = device
        self.setup = setup
        self.silenceTimeout = silenceTimeout
        name = device.name
        blockFrames = setup.periodFrames
        // A ring of few periods must not be half full before the first read.
        largestBlockFrames = max(setup.periodFrames, min(setup.periodFrames * 3, setup.bufferFrames / 8))
        blocks = MediaDataPool(byteCount: largestBlockFrames * setup.bytesPerFrame, capacity: 64)
        account = AudioAccount(sampleRate: setup.format.sampleRate, start: clock.nanoseconds)
    }

    func start() throws(MediaError) {
        guard let device else { return }
        if blockFrames != setup.periodFrames {
            smallBlocks = 0
            blockFrames = setup.periodFrames
            device.wake(at: blockFrames)
        }
        account = AudioAccount(sampleRate: setup.format.sampleRate, start: clock.nanoseconds)
        var code = device.prepare()
        if code == 0 { code = device.start() }
        guard code == 0 else { throw device.error(code, "cannot start the microphone \(name)") }
    }

    /// Stops and closes the device. Delivered blocks stay valid.
    func close() {
        device?.drop()
        device = nil
    }

    /// Runs until `stop` fires or the device disconnects. The caller closes the stream afterwards.
    func run(stop: WakeUp, receiver: (DeviceEvent) -> Void) {
        guard let device else { return }
        var waits = device.pollDescriptors()
        let count = waits.count
        waits.append(pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0))
        var lastBlock = clock.nanoseconds
        while true {
            let left = max(0, silenceTimeout - (clock.nanoseconds - lastBlock))
            let ready = poll(&waits, nfds_t(waits.count), Int32(clamping: left / 1_000_000 + 1))
            if waits[count].revents != 0 { return }
            if ready < 0 { continue }
            if ready == 0 {
                guard clock.nanoseconds - lastBlock >= silenceTimeout else { continue }
                return receiver(.gone(lost("no audio for \(silenceTimeout / 1_000_000_000) s", -ETIMEDOUT)))
            }
            let events = device.events(of: &waits, count: count)
            var code = min(0, events)
            if events > 0 {
                code = read(device, to: receiver) { lastBlock = self.clock.nanoseconds }
                // An error condition without an error code would be reported again at once, endlessly.
                if code == 0, events & Int32(POLLERR | POLLHUP | POLLNVAL) != 0 { code = -EPIPE }
            }
            if code < 0, let failure = recover(device, from: code, stop: stop) { return receiver(.gone(failure)) }
        }
    }

    /// Delivers every complete block that is readable. Returns 0 or a negative errno. A partial block stays in the
    /// ring. But if an ALSA plug-in wakes its reader for less than one block, the partial block is read at once.
    private func read(_ device: ALSADevice, to receiver: (DeviceEvent) -> Void, onBlock: () -> Void) -> Int32 {
        let (code, available, stamp) = device.available()
        guard code == 0 else { return code }
        var left = available >= blockFrames ? available / blockFrames * blockFrames : available
        var time = account.firstFrame(
            stamp: stamp, available: stamp == 0 ? device.delay : available, now: clock.nanoseconds)
        while left > 0 {
            var result = 0
            let data = blocks.makeData { target in
                result = device.read(target, frames: min(left, blockFrames))
                guard result > 0 else { return 0 }
                return setup.repacking.apply(to: .init(rebasing: target[..<(result * setup.bytesPerFrame)]))
            }
            guard let data else { return result == -Int(EAGAIN) ? 0 : Int32(result) }
            let missing = account.add(blockAt: time, frames: result)
            if missing > 0 {
                receiver(.lost(count: missing, cause: .device, near: MediaTime(nanoseconds: time)))
            }
            receiver(
                .sample(
                    SampleBuffer(pcm: data, format: setup.format, presentationTime: MediaTime(nanoseconds: time))))
            onBlock()
            failedRecoveries = 0
            left -= result
            time += account.nanoseconds(result)
        }
        wakeLessOften(device)
        return 0
    }

    /// Switches to larger blocks after a few small ones, once the audio timeline has begun.
    private func wakeLessOften(_ device: ALSADevice) {
        guard blockFrames < largestBlockFrames else { return }
        smallBlocks += 1
        guard smallBlocks >= 10 else { return }
        blockFrames = largestBlockFrames
        device.wake(at: blockFrames)
    }

    /// Restarts a stream after an xrun or a suspend.
    ///
    /// - Returns: The error if that is impossible; nil if the stream runs again or is to be retried.
    private func recover(_ device: ALSADevice, from code: Int32, stop: WakeUp) -> MediaError? {
        if code == -EAGAIN || code == -EINTR { return nil }
        if code == -ENODEV || device.isDisconnected { return lost("it was unplugged", -ENODEV) }
        account.interrupted()
        if code == -ESTRPIPE {
            // The machine was suspended. Not every driver can resume.
            var resumed = device.resume()
            while resumed == -EAGAIN, !stop.isFired(before: clock.nanoseconds + 10_000_000) {
                resumed = device.resume()
            }
            if resumed == 0 { return nil }
        }
        var result = device.prepare()
        if result == 0 { result = device.start() }
        if result == 0 { return nil }
        failedRecoveries += 1
        guard failedRecoveries < 10, result != -ENODEV, !device.isDisconnected else {
            return lost(result == -ENODEV ? "it was unplugged" : "it does not restart", result)
        }
        _ = stop.isFired(before: clock.nanoseconds + 20_000_000)
        return nil
    }

    private func lost(_ reason: String, _ code: Int32) -> MediaError {
        MediaError(.deviceLost, "lost the microphone \(name)", reason: reason, underlying: .alsa(code))
    }
}
