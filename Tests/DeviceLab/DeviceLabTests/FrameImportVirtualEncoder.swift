import CV4L2
import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import Capture

/// Frames of the kernel's camera vivid, which its encoder vicodec reads in the camera's buffers.
@Suite(.serialized) struct FrameImportVirtualEncoder {
    /// Rows in multiples of sixteen: vicodec expects the chroma of other sizes after rows that a camera does not have.
    private static let size = FrameSize(640, 480)
    private static var setup: EncoderSetup { LabEncoder.setup(width: size.width, height: size.height) }

    /// A camera of NV12, and its frames until the test takes them.
    private final class Line {
        let camera: V4L2Camera
        let log = CaptureLog()
        private let waiting = Locked<[SampleBuffer]>([])

        init() throws {
            camera = try CameraVirtualTime.camera(FrameImportVirtualEncoder.size, rate: FrameRate(30), .nv12)
            let waiting = waiting
            try camera.start(
                log.receiver { sample in
                    waiting.withLock { $0.append(sample) }
                    waiting.signal()
                })
        }

        func next() throws -> SampleBuffer {
            let sample: SampleBuffer? = waiting.waiting(atMost: 5_000_000_000) {
                $0.isEmpty ? nil : $0.removeFirst()
            }
            return try #require(sample)
        }

        /// Returns the frames that wait.
        func rest() -> [SampleBuffer] {
            waiting.withLock { samples in
                defer { samples = [] }
                return samples
            }
        }
    }

    /// An encoder, and a second one that gets a copy of each frame and starts whenever the first one does. Both return
    /// the same bytes, unless the first one reads a frame that the camera has already overwritten.
    private final class Bench {
        struct Packet: Equatable {
            var ticks: Int64
            var bytes: [UInt8]
        }

        let encoder: StatefulEncoder
        private let witness: StatefulEncoder
        private(set) var times: [Int64] = []
        private var packets: [Packet] = []
        private var expected: [Packet] = []

        init() throws {
            encoder = try Self.open()
            witness = try Self.open()
        }

        private static func open() throws -> StatefulEncoder {
            let node = try EncoderDiscovery.open(nil, coded: CV4L2_PIX_FWHT)
            let queues = try V4L2EncoderQueues(node, FrameImportVirtualEncoder.setup)
            return StatefulEncoder(queues, holdsNothing: false, inspect: LabEncoder.content)
        }

        func encode(_ sample: SampleBuffer, isKeyframe: Bool = false) throws {
            guard case .pixels(let frame) = sample.content else {
                Issue.record("the camera delivers packets")
                return
            }
            let ticks = sample.presentationTime.ticks(in: 1_000_000)
            times.append(ticks)
            let before = encoder.transfer.mode
            try encoder.encode(frame, microseconds: ticks, ticks: ticks, isKeyframe: isKeyframe) {
                (output: StatefulEncoder.Output) throws(MediaError) in Self.take(output, &packets)
            }
            if encoder.transfer.mode != before { try finishWitness() }
            let copy = PixelBuffer(
                layout: frame.layout, color: frame.color, data: MediaData(copying: frame.data.bytes))
            try witness.encode(copy, microseconds: ticks, ticks: ticks, isKeyframe: isKeyframe) {
                (output: StatefulEncoder.Output) throws(MediaError) in Self.take(output, &expected)
            }
        }

        func finish() throws {
            try encoder.finish { (output: StatefulEncoder.Output) throws(MediaError) in Self.take(output, &packets) }
            try finishWitness()
        }

        private func finishWitness() throws {
            try witness.finish { (output: StatefulEncoder.Output) throws(MediaError) in Self.take(output, &expected) }
        }

        private static func take(_ output: StatefulEncoder.Output, _ packets: inout [Packet]) {
            guard case .packet(let bytes, let ticks, _) = output else { return }
            packets.append(Packet(ticks: ticks, bytes: Array(bytes)))
        }

        /// True if every frame came out once, at its time, with the bytes of its copy.
        var isComplete: Bool {
            packets.map(\.ticks) == times && packets == expected && encoder.lostFrames == 0
                && encoder.latestFault == nil && encoder.transfer.leaseCount == 0
        }
    }

    @Test(arguments: [false, true]) func encode_bothInterfaces_readsEveryFrameInTheCamerasBuffer(
        isMultiplanar: Bool
    ) throws {
        try LabEncoder.load(isMultiplanar: isMultiplanar)
        do {
            let (line, bench) = (try Line(), try Bench())
            for _ in 0..<90 {
                try bench.encode(try line.next())
                #expect(bench.encoder.transfer.mode == .imported)
            }
            line.camera.stop()
            try bench.finish()
            #expect(bench.times.count == 90 && bench.isComplete && bench.encoder.copyReason == nil)
            // No frame was copied by the camera either, and none was missed.
            #expect(line.camera.copiedCount == 0 && line.log.now.lost.isEmpty && line.log.now.failure == nil)
        }
        try LabEncoder.load(isMultiplanar: false)
    }

    /// The test keeps frames, so that the camera copies the next ones.
    @Test func encode_cameraWithFewBuffers_copiesWithoutALossAndImportsAgainLater() throws {
        let (line, bench) = (try Line(), try Bench())
        for _ in 0..<30 { try bench.encode(try line.next()) }
        #expect(bench.encoder.transfer.mode == .imported && bench.encoder.copyReason == nil)
        var kept: [SampleBuffer] = []
        for _ in 0..<20 {
            let sample = try line.next()
            try bench.encode(sample)
            kept.append(sample)
        }
        #expect(line.camera.copiedCount > 0 && bench.encoder.transfer.mode == .copied)
        #expect(bench.encoder.copyReason?.reason.contains("few buffers") == true)
        kept = []
        for number in 1...400 { try bench.encode(try line.next(), isKeyframe: number % 50 == 0) }
        #expect(kept.isEmpty && bench.encoder.transfer.mode == .imported)
        line.camera.stop()
        try bench.finish()
        #expect(bench.times.count == 450 && bench.isComplete)
        #expect(line.log.now.lost.isEmpty && line.log.now.failure == nil)
    }

    /// A camera's buffer whose descriptor is no dma-buf.
    private final class FalseBuffer: LentBuffer {
        let parts: [DMABuf]
        private let frame: PixelBuffer
        private let returns = Locked(0)

        init(_ frame: PixelBuffer) throws {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            try #require(descriptor >= 0)
            parts = [DMABuf(descriptor: descriptor, start: 0, byteCount: 1 << 20)]
            self.frame = frame
        }

        deinit { for part in parts { close(part.descriptor) } }

        var returnCount: Int { returns.withLock { $0 } }

        func lend() -> PixelBuffer {
            PixelBuffer(layout: frame.layout, data: MediaData(borrowing: frame.data.bytes, from: self))
        }

        func giveBack() { returns.withLock { $0 += 1 } }
    }

    @Test func encode_refusedDMABufs_copiesEveryFrameAndReportsTheErrno() throws {
        let node = try EncoderDiscovery.open(nil, coded: CV4L2_PIX_FWHT)
        let queues = try V4L2EncoderQueues(node, FrameImportVirtualEncoder.setup)
        let encoder = StatefulEncoder(queues, holdsNothing: false, inspect: LabEncoder.content)
        var packets: [(bytes: [UInt8], ticks: Int64)] = []
        func take(_ output: StatefulEncoder.Output) {
            guard case .packet(let bytes, let ticks, _) = output else { return }
            packets.append((Array(bytes), ticks))
        }
        let (width, height) = (Self.size.width, Self.size.height)
        let buffers = try (0..<30).map { number in
            try FalseBuffer(LabEncoder.frame(number, layout: queues.layout, width: width, height: height))
        }
        for (number, buffer) in buffers.enumerated() {
            let ticks = Int64(number) * 33_333 + 1
            try encoder.encode(buffer.lend(), microseconds: ticks, ticks: ticks, isKeyframe: false) {
                (output: StatefulEncoder.Output) throws(MediaError) in take(output)
            }
            #expect(encoder.transfer.mode == .copied)
        }
        try encoder.finish { (output: StatefulEncoder.Output) throws(MediaError) in take(output) }
        let decoder = try LabDecoder(width: width, height: height)
        let numbers = try packets.map { try decoder.decode($0.bytes, stamp: $0.ticks).number }
        #expect(numbers == Array(0..<30) && encoder.lostFrames == 0 && encoder.latestFault == nil)
        #expect(buffers.allSatisfy { $0.returnCount == 1 })
        #expect(encoder.copyReason?.underlying == .errno(EINVAL))
        #expect(encoder.copyReason?.description.contains("(EINVAL)") == true)
    }

    @Test func encode_cameraUnplugged_encodesItsLastFramesAndThoseOfTheNextCamera() throws {
        let bench = try Bench()
        do {
            let line = try Line()
            for _ in 0..<30 { try bench.encode(try line.next()) }
            var last = [try line.next(), try line.next()]
            let unplug = LabPlug.unplugCamera()
            #expect(line.log.waits(atMost: 10) { $0.failure != nil })
            line.camera.stop()
            for sample in last + line.rest() { try bench.encode(sample) }
            // The camera is gone, and the encoder has read its buffers.
            #expect(bench.encoder.transfer.mode == .imported)
            last = []
            try bench.finish()
            #expect(last.isEmpty && bench.isComplete)
            // The driver waits until nothing has a buffer of the camera any more.
            unplug.wait()
        }
        try LabPlug.plugInCamera()
        try #require(eventually { access(CameraVirtualTime.path, R_OK | W_OK) == 0 })
        let line = try Line()
        for _ in 0..<30 {
            try bench.encode(try line.next())
            #expect(bench.encoder.transfer.mode == .imported)
        }
        line.camera.stop()
        try bench.finish()
        #expect(bench.times.count >= 62 && bench.isComplete && bench.encoder.copyReason == nil)
    }

    @Test func encode_encoderUnplugged_returnsTheBuffersToTheCamera() throws {
        let line = try Line()
        do {
            let bench = try Bench()
            for _ in 0..<30 { try bench.encode(try line.next()) }
            #expect(bench.encoder.transfer.mode == .imported)
            #expect(LabEncoder.unplug() == 0)
            let error = #expect(throws: MediaError.self) {
                for _ in 0..<100 { try bench.encode(try line.next()) }
            }
            #expect(error?.code == .deviceLost && bench.encoder.transfer.leaseCount == 0)
        }
        // With a buffer fewer for each frame, the camera would begin to copy.
        for _ in 0..<60 { _ = try line.next() }
        #expect(line.camera.copiedCount == 0 && line.log.now.lost.isEmpty)
        try LabEncoder.plugIn()
        let bench = try Bench()
        for _ in 0..<30 { try bench.encode(try line.next()) }
        line.camera.stop()
        #expect(bench.encoder.transfer.mode == .imported)
        try bench.finish()
        #expect(bench.times.count == 30 && bench.isComplete)
    }
}
