import Glibc
import MediaTypes
import Testing

@testable import LibcameraCapture

/// The dma-bufs of lent frames, which an encoder may read.
@Suite struct FrameMemoryTests {
    private let sizes = [1280 * 360, 1280 * 720]

    /// Returns the memory of a camera with one buffer: chroma in the first dma-buf, whose bytes are 1, and luma in the
    /// second one, whose bytes are 2.
    private func makeMemory() throws -> (memory: FrameMemory, descriptors: [Int32]) {
        let buffer = HelperBytes.buffer(0, descriptors: 2)
            .plane(0, descriptor: 1, offset: 0, length: UInt32(sizes[1]))
            .plane(1, descriptor: 0, offset: 0, length: UInt32(sizes[0]))
        guard case .configured(let configuration) = try HelperMessage(HelperBytes.configured().bytes, descriptors: 0),
            case .buffer(let description) = try HelperMessage(buffer.bytes, descriptors: 2)
        else { throw MessageFault.kind(0) }
        let plan = try BufferPlan(
            description, sizes: sizes.map { Int64($0) }, configuration: configuration, pageSize: 65_536)
        let descriptors = sizes.enumerated().map { number, size -> Int32 in
            let file = SharedFile(byteCount: size, filledWith: UInt8(number + 1), true)
            return withExtendedLifetime(file) { dup(file.descriptor) }
        }
        let memory = FrameMemory(configuration.videoFormat, stride: configuration.stride, byteCount: sizes[1])
        memory.add(0, plan, try BufferMemory(0, plan, descriptors))
        return (memory, descriptors)
    }

    private func pixels(of memory: FrameMemory, queuedCount: Int) throws -> PixelBuffer {
        let frame = CapturedFrame(buffer: 0, time: .zero, lost: 0, byteCount: 0, exposure: nil)
        let (content, isCopied) = memory.content(of: frame, queuedCount: queuedCount)
        #expect(isCopied == (queuedCount <= FrameMemory.fewestQueued))
        guard case .pixels(let pixels)? = content else { throw MessageFault.kind(0) }
        return pixels
    }

    private func released(_ memory: FrameMemory) -> [Int] {
        var buffers: [Int] = []
        memory.forEachReleased { buffers.append($0) }
        return buffers
    }

    @Test func frame_lent_hasItsDMABufsWhereItsBytesAre() throws {
        let (memory, descriptors) = try makeMemory()
        var frames = [try pixels(of: memory, queuedCount: 3)]
        let parts = frames[0].data.lentBuffer?.parts ?? []
        // The first one takes eight pages of 64 KiB.
        let expected = [
            DMABuf(descriptor: descriptors[0], start: 0, byteCount: sizes[0]),
            DMABuf(descriptor: descriptors[1], start: 8 * 65_536, byteCount: sizes[1]),
        ]
        #expect(parts == expected)
        for (number, part) in parts.enumerated() {
            var byte: UInt8 = 0
            let count = pread(part.descriptor, &byte, 1, part.byteCount - 1)
            #expect(count == 1 && Int(byte) == number + 1)
            #expect(frames[0].data.bytes[part.start + part.byteCount - 1] == byte)
        }
        #expect(frames[0].layout.planes.map(\.offset) == [8 * 65_536, 0] && released(memory).isEmpty)
        frames.removeAll()
        let buffers = [released(memory), released(memory)]
        #expect(buffers == [[0], []])
    }

    @Test func frame_copied_hasNone() throws {
        let (memory, _) = try makeMemory()
        let frame = try pixels(of: memory, queuedCount: 2)
        let isLent = frame.data.lentBuffer != nil
        #expect(!isLent && frame.plane(0)[0] == 2 && frame.plane(1)[0] == 1 && released(memory).isEmpty)
    }
}
