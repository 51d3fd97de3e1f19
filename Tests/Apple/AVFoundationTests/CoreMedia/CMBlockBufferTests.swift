import CoreMedia
import Foundation
import Testing

@Suite struct CMBlockBufferTests {
    private func block(_ bytes: [UInt8]) throws -> CMBlockBuffer {
        let made = try CMBlockBuffer(length: bytes.count)
        try bytes.withUnsafeBytes { try made.replaceDataBytes(with: $0) }
        return made
    }

    @Test func append_addsBytesAtTheEnd() throws {
        let whole = try CMBlockBuffer(capacity: 4)
        #expect(whole.isEmpty && CMBlockBufferIsEmpty(whole))
        try whole.append(length: 2)
        try whole.append(bufferReference: try block([1, 2, 3]))
        try whole.append(bufferReference: try block([7, 8, 9])[1...])
        var more: [UInt8] = [4, 5]
        try more.withUnsafeMutableBytes { try whole.append(buffer: $0, allocator: kCFAllocatorNull) }
        #expect(try whole.dataBytes() == Data([0, 0, 1, 2, 3, 8, 9, 4, 5]) && whole.dataLength == 9)
        #expect(throws: NSError.self) { try whole.append(length: -1) }
        #expect(try whole.dataBytes().count == 9)
    }

    @Test func dataPointer_afterAppend_staysValid() throws {
        let whole = try block([1, 2, 3])
        var pointer: UnsafeMutablePointer<CChar>?
        CMBlockBufferGetDataPointer(
            whole, atOffset: 0, lengthAtOffsetOut: nil, totalLengthOut: nil, dataPointerOut: &pointer)
        for _ in 0..<100 { try whole.append(length: 100_000) }
        #expect(pointer?[2] == 3 && whole.dataLength == 10_000_003)
    }

    @Test func cCalls_appendReferenceAndCopy_checkBounds() throws {
        var made: CMBlockBuffer?
        #expect(CMBlockBufferCreateEmpty(allocator: nil, capacity: 0, flags: 0, blockBufferOut: &made) == 0)
        let whole = try #require(made)
        var bytes: [UInt8] = [1, 2, 3, 4]
        #expect(
            CMBlockBufferAppendMemoryBlock(
                whole, memoryBlock: &bytes, length: 4, blockAllocator: kCFAllocatorNull, customBlockSource: nil,
                offsetToData: 1, dataLength: 2, flags: 0) == kCMBlockBufferNoErr)
        #expect(
            CMBlockBufferAppendMemoryBlock(
                whole, memoryBlock: &bytes, length: 4, blockAllocator: kCFAllocatorNull, customBlockSource: nil,
                offsetToData: 3, dataLength: 2, flags: 0) == kCMBlockBufferBadLengthParameterErr)
        let other = try block([9, 8])
        #expect(
            CMBlockBufferAppendBufferReference(whole, targetBBuf: other, offsetToData: 0, dataLength: 0, flags: 0) == 0)
        #expect(
            CMBlockBufferAppendBufferReference(whole, targetBBuf: other, offsetToData: 3, dataLength: 0, flags: 0)
                == kCMBlockBufferBadOffsetParameterErr)
        #expect(try whole.dataBytes() == Data([2, 3, 9, 8]) && CMBlockBufferAssureBlockMemory(whole) == 0)
        var part: CMBlockBuffer?
        CMBlockBufferCreateWithBufferReference(
            allocator: nil, referenceBuffer: whole, offsetToData: 1, dataLength: 2, flags: 0, blockBufferOut: &part)
        #expect(try part?.dataBytes() == Data([3, 9]))
        CMBlockBufferCreateContiguous(
            allocator: nil, sourceBuffer: whole, blockAllocator: nil, customBlockSource: nil, offsetToData: 2,
            dataLength: 0, flags: 0, blockBufferOut: &part)
        #expect(try part?.dataBytes() == Data([9, 8]))
        var (pointer, spare): (UnsafeMutablePointer<CChar>?, [UInt8]) = (nil, [0, 0])
        CMBlockBufferAccessDataBytes(
            whole, atOffset: 2, length: 2, temporaryBlock: &spare, returnedPointerOut: &pointer)
        #expect(pointer?[0] == 9 && CMBlockBufferIsRangeContiguous(whole, atOffset: 0, length: 4))
        #expect(!CMBlockBufferIsRangeContiguous(whole, atOffset: 1, length: 4))
        #expect(
            CMBlockBufferGetTypeID() == CMBlockBuffer.typeID && CMBlockBufferGetTypeID() != CMSampleBufferGetTypeID())
    }

    @Test func callerMemory_isReleasedOnce() throws {
        final class Count: @unchecked Sendable { var freed = 0 }
        let count = Count()
        var source = CMBlockBufferCustomBlockSource(
            version: kCMBlockBufferCustomBlockSourceVersion, AllocateBlock: { _, size in calloc(1, size) },
            FreeBlock: { context, block, _ in
                if let context { Unmanaged<Count>.fromOpaque(context).takeUnretainedValue().freed += 1 }
                free(block)
            }, refCon: Unmanaged.passUnretained(count).toOpaque())
        var made: CMBlockBuffer?
        #expect(
            CMBlockBufferCreateWithMemoryBlock(
                allocator: nil, memoryBlock: nil, blockLength: 8, blockAllocator: nil, customBlockSource: &source,
                offsetToData: 0, dataLength: 8, flags: 0, blockBufferOut: &made) == 0)
        #expect(count.freed == 1 && made?.dataLength == 8)
        let lent = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
        lent.copyBytes(from: [5, 6, 7])
        var returned = 0
        let copy = try CMBlockBuffer(buffer: lent) { start, length in
            returned += length
            start.deallocate()
        }
        #expect(try returned == 3 && copy.dataBytes() == Data([5, 6, 7]))
    }

    @Test func slices_fillReplaceAndRead_checkBounds() throws {
        let whole = try block(Array(0..<10))
        try whole[2..<4].fillDataBytes(with: 0xFF)
        try [UInt8(40), 50].withUnsafeBytes { try whole[4...5].replaceDataBytes(with: $0) }
        #expect(try whole[..<6].dataBytes() == Data([0, 1, 0xFF, 0xFF, 40, 50]) && whole.isContiguous)
        #expect(try whole[...].dataBytes().count == 10 && whole[8..<90].dataLength == 2)
        #expect(whole[3...].startIndex == 3 && whole[3...].endIndex == 10 && whole[3...].owner === whole)
        #expect(try whole[6...].withContiguousStorage { Array($0) } == [6, 7, 8, 9])
        var target = [UInt8](repeating: 0, count: 4)
        try target.withUnsafeMutableBytes { try whole[6...].copyDataBytes(to: $0) }
        #expect(target == [6, 7, 8, 9])
        #expect(throws: NSError.self) { try target.withUnsafeMutableBytes { try whole.copyDataBytes(to: $0) } }
        #expect(throws: NSError.self) { try target.withUnsafeBytes { try whole[8...].replaceDataBytes(with: $0) } }
        let copy = try whole.makeContiguous()
        try whole.withUnsafeMutableBytes(atOffset: 9) { $0[0] = 77 }
        #expect(try copy.dataBytes().last == 9 && whole.dataBytes().last == 77)
        #expect(throws: NSError.self) { try whole.withUnsafeMutableBytes(atOffset: 11) { _ in } }
        CMBlockBufferFillDataBytes(with: 1, blockBuffer: whole, offsetIntoDestination: 0, dataLength: 10)
        #expect(try whole.dataBytes() == Data(repeating: 1, count: 10))
        #expect(
            CMBlockBufferFillDataBytes(with: 1, blockBuffer: whole, offsetIntoDestination: 9, dataLength: 2) != 0)
        let byte: [UInt8] = [3]
        #expect(
            CMBlockBufferReplaceDataBytes(with: byte, blockBuffer: whole, offsetIntoDestination: 9, dataLength: 1) == 0)
        #expect(try whole.dataBytes().last == 3 && CMBlockBuffer.Error.badOffsetParameter.code == -12703)
    }
}
