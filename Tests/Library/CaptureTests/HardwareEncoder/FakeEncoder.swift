import Glibc
import MediaTypes
import RealTime

@testable import Capture

/// An encoder's device in software. It keeps to the protocol, except for the frames that have a fault.
final class FakeEncoder: EncoderQueues {
    enum Fault {
        /// The packet comes twice, empty, after the next one, or not at all.
        case doubled, empty, swapped, missing
        /// The packet is marked as damaged, has bytes of nothing, more bytes than its buffer, or an unknown buffer.
        case corrupt, invalid, tooLarge, foreign
        /// The buffer of the frame comes back twice.
        case returnedTwice
        /// The packet is marked as the last one.
        case last
        /// Queuing the frame, or taking its packet, fails once.
        case refused(Int32)
        case dequeueFails(Int32)
        /// From here on nothing comes out, or every buffer comes back empty, until the queues are stopped.
        case stalls, floods
        /// From here on each call fails with EIO, until the device is set up again.
        case breaks
        /// The device disappears.
        case disconnects
    }

    /// The end of a drain: the last packet has a flag, an empty buffer follows, or nothing does.
    enum Ending { case flag, emptyBuffer, nothing }

    private struct Frame {
        var number: Int
        var stamp: Int64
        var bytes: [UInt8]
    }

    private enum Outgoing {
        case packet(EncoderPacket, [UInt8])
        case failure(Int32)
    }

    let name = "/dev/video99"
    let frameBufferCount = 4
    let packetBufferCount = 4
    var canForceKeyframes = true
    /// The errno of the command to drain.
    var drainError: Int32 = 0
    var ending = Ending.flag
    /// The number of frames that are held back until more come.
    var depth = 0
    /// False for a device that continues its stream when its queues start again.
    var startsWithKeyframe = true
    /// False for a device that returns its packets with the time 0.
    var copiesStamps = true
    /// The errno of requests for a keyframe.
    var requestError: Int32 = 0
    /// The number of requests for a keyframe that have no effect.
    var ignoredRequests = 0
    var fault: (_ number: Int) -> Fault? = { _ in nil }
    /// The obstacle to importing frames; nil if there is none.
    var obstacle: FrameTransfer.Obstacle?
    /// The errno of queuing an imported frame.
    var importError: Int32 = 0
    /// The number of attempts to import, and of frames that were imported.
    private(set) var importAttempts = 0
    private(set) var importedCount = 0
    /// The number of frames that were queued, and how often the queues were started.
    private(set) var count = 0
    private(set) var starts = 0
    /// How often the device was set up again.
    private(set) var setups = 0

    private let clock: ManualClock
    private let payload: (_ frame: PixelBuffer, _ number: Int, _ stamp: Int64, _ isKeyframe: Bool) -> [UInt8]
    private let memory: [UnsafeMutableRawBufferPointer]
    private var isFirst = true
    private var isRequested = false
    private var isDraining = false
    private var hasEnded = false
    private var isStalled = false
    private var isFlooding = false
    private var isConnected = true
    private var isBroken = false
    private var isImporting = false
    private var pending: [Frame] = []
    private var swapped: Frame?
    private var outgoing: [Outgoing] = []
    private var returnedFrames: [Int] = []
    private var packetBuffers: [Int] = []

    init(
        clock: ManualClock,
        payload: @escaping (_ frame: PixelBuffer, _ number: Int, _ stamp: Int64, _ isKeyframe: Bool) -> [UInt8]
    ) {
        self.clock = clock
        self.payload = payload
        memory = (0..<packetBufferCount).map { _ in
            UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        }
    }

    deinit { for piece in memory { piece.deallocate() } }

    /// The errno of every call; 0 for a device that works.
    private var error: Int32 { isConnected ? (isBroken ? EIO : 0) : ENODEV }

    func start() -> Int32 {
        guard error == 0 else { return error }
        starts += 1
        isFirst = startsWithKeyframe || starts == 1
        return 0
    }

    func reinitialize() -> Int32 {
        guard isConnected else { return ENODEV }
        setups += 1
        (isBroken, isImporting) = (false, false)
        return 0
    }

    func canImport(_ pixels: PixelBuffer) -> Bool { pixels.data.lentBuffer != nil }

    func beginImporting(_ pixels: PixelBuffer) -> FrameTransfer.Obstacle? {
        guard isConnected else { return .refused(errno: ENODEV) }
        importAttempts += 1
        guard obstacle == nil else { return obstacle }
        (isBroken, isImporting) = (false, true)
        return nil
    }

    func stop() {
        (pending, outgoing, returnedFrames, packetBuffers) = ([], [], [], [])
        (isRequested, isDraining, hasEnded, isStalled, isFlooding) = (false, false, false, false, false)
        swapped = nil
    }

    func queueFrame(_ index: Int, _ pixels: PixelBuffer, stamp: Int64) -> Int32 {
        guard error == 0 else { return error }
        if isImporting {
            guard canImport(pixels) else { return EINVAL }
            guard importError == 0 else { return importError }
        }
        let number = count
        count += 1
        if case .refused(let code)? = fault(number) { return code }
        let isKeyframe = isFirst || isRequested
        (isFirst, isRequested) = (false, false)
        pending.append(Frame(number: number, stamp: stamp, bytes: payload(pixels, number, stamp, isKeyframe)))
        returnedFrames.append(index)
        if isImporting { importedCount += 1 }
        encode()
        return 0
    }

    func queuePacketBuffer(_ index: Int) -> Int32 {
        guard error == 0 else { return error }
        packetBuffers.append(index)
        return 0
    }

    func dequeueFrame() -> DequeuedFrame {
        guard error == 0 else { return .failed(errno: error) }
        // While a frame is held back, so is its buffer.
        guard returnedFrames.count > (isStalled ? 4 : pending.count) else { return .nothingYet }
        return .buffer(returnedFrames.removeFirst())
    }

    func dequeuePacket() -> DequeuedPacket {
        guard error == 0 else { return .failed(errno: error) }
        guard !hasEnded else { return .ended }
        if isFlooding, !packetBuffers.isEmpty {
            return .packet(EncoderPacket(index: packetBuffers.removeFirst(), byteCount: 0, stamp: 0))
        }
        guard !isStalled, let next = outgoing.first else { return .nothingYet }
        switch next {
        case .failure(let code):
            outgoing.removeFirst()
            return .failed(errno: code)
        case .packet(var packet, let bytes):
            guard let buffer = packetBuffers.first else { return .nothingYet }
            outgoing.removeFirst()
            packetBuffers.removeFirst()
            memory[buffer].copyBytes(from: bytes)
            if packet.index == 0 { packet.index = buffer }
            if packet.isLast { hasEnded = true }
            return .packet(packet)
        }
    }

    func bytes(of packet: EncoderPacket) -> UnsafeRawBufferPointer {
        guard memory.indices.contains(packet.index), packet.byteCount <= memory[packet.index].count else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(rebasing: memory[packet.index][..<packet.byteCount])
    }

    func forceKeyframe() -> Int32 {
        guard error == 0 else { return error }
        guard requestError == 0 else { return requestError }
        if ignoredRequests > 0 { ignoredRequests -= 1 } else { isRequested = true }
        return 0
    }

    func drain() -> Int32 {
        guard error == 0 else { return error }
        guard drainError == 0 else { return drainError }
        isDraining = true
        encode()
        switch ending {
        case .nothing: break
        case .emptyBuffer: outgoing.append(.packet(EncoderPacket(index: 0, byteCount: 0, stamp: 0), []))
        case .flag:
            if case .packet(var packet, let bytes)? = outgoing.last {
                packet.isLast = true
                outgoing[outgoing.count - 1] = .packet(packet, bytes)
            } else {
                outgoing.append(.packet(EncoderPacket(index: 0, byteCount: 0, stamp: 0, isLast: true), []))
            }
        }
        return 0
    }

    func wait(milliseconds: Int32) -> Int32 {
        guard error == 0 else { return error }
        clock.advance(by: Int64(milliseconds) * 1_000_000)
        return 0
    }

    private func encode() {
        while pending.count > (isDraining ? 0 : depth) {
            let frame = pending.removeFirst()
            let stamp = copiesStamps ? frame.stamp : 0
            let packet = EncoderPacket(index: 0, byteCount: frame.bytes.count, stamp: stamp)
            switch fault(frame.number) {
            case nil, .refused: outgoing.append(.packet(packet, frame.bytes))
            case .doubled: outgoing += [.packet(packet, frame.bytes), .packet(packet, frame.bytes)]
            case .empty: outgoing.append(.packet(EncoderPacket(index: 0, byteCount: 0, stamp: frame.stamp), []))
            case .swapped:
                swapped = frame
                continue
            case .missing: break
            case .corrupt: append(packet, frame) { $0.isCorrupt = true }
            case .invalid: outgoing.append(.packet(packet, [UInt8](repeating: 0xFF, count: frame.bytes.count)))
            case .tooLarge: append(packet, frame) { $0.byteCount = 1 << 30 }
            case .foreign: append(packet, frame) { $0.index = 9 }
            case .returnedTwice:
                outgoing.append(.packet(packet, frame.bytes))
                if let buffer = returnedFrames.last { returnedFrames.append(buffer) }
            case .last: append(packet, frame) { $0.isLast = true }
            case .dequeueFails(let code): outgoing.append(.failure(code))
            case .stalls: isStalled = true
            case .floods: isFlooding = true
            case .breaks: isBroken = true
            case .disconnects: isConnected = false
            }
            if let late = swapped {
                let packet = EncoderPacket(index: 0, byteCount: late.bytes.count, stamp: late.stamp)
                outgoing.append(.packet(packet, late.bytes))
                swapped = nil
            }
        }
    }

    private func append(_ packet: EncoderPacket, _ frame: Frame, _ change: (inout EncoderPacket) -> Void) {
        var changed = packet
        change(&changed)
        outgoing.append(.packet(changed, frame.bytes))
    }
}
