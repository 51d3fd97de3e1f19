import Foundation
import MediaTypes

public let kCMBlockBufferCustomBlockSourceVersion: UInt32 = 0

/// The functions that allocate and free a block's memory. A block buffer copies the memory, so memory that is passed in
/// is freed immediately.
public struct CMBlockBufferCustomBlockSource {
    public typealias Allocate = @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?
    public typealias Free = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer, Int) -> Void

    public var version: UInt32
    public var AllocateBlock: Allocate?
    public var FreeBlock: Free?
    public var refCon: UnsafeMutableRawPointer?

    public init() { self.init(version: 0, AllocateBlock: nil, FreeBlock: nil, refCon: nil) }
    public init(version: UInt32, AllocateBlock: Allocate?, FreeBlock: Free?, refCon: UnsafeMutableRawPointer?) {
        self.version = version
        self.AllocateBlock = AllocateBlock
        self.FreeBlock = FreeBlock
        self.refCon = refCon
    }
}

@discardableResult
public func CMBlockBufferCreateEmpty(
    allocator: CFAllocator?, capacity: UInt32, flags: CMBlockBufferFlags,
    blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
    guard let buffer = CMBlockBuffer(byteCount: 0) else { return kCMBlockBufferStructureAllocationFailedErr }
    blockBufferOut.pointee = buffer
    return kCMBlockBufferNoErr
}

/// Creates a block with a copy of the memory. Without memory, the block contains zeros. The original memory is freed
/// immediately if `customBlockSource` defines how, or if `blockAllocator` is `kCFAllocatorMalloc`. Otherwise the caller
/// still owns it.
@discardableResult
public func CMBlockBufferCreateWithMemoryBlock(
    allocator: CFAllocator?, memoryBlock: UnsafeMutableRawPointer?, blockLength: Int, blockAllocator: CFAllocator?,
    customBlockSource: UnsafePointer<CMBlockBufferCustomBlockSource>?, offsetToData: Int, dataLength: Int,
    flags: CMBlockBufferFlags, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
    guard let buffer = CMBlockBuffer(byteCount: 0) else { return kCMBlockBufferStructureAllocationFailedErr }
    let status = CMBlockBufferAppendMemoryBlock(
        buffer, memoryBlock: memoryBlock, length: blockLength, blockAllocator: blockAllocator,
        customBlockSource: customBlockSource, offsetToData: offsetToData, dataLength: dataLength, flags: flags)
    if status == kCMBlockBufferNoErr { blockBufferOut.pointee = buffer }
    return status
}

/// Appends a copy of memory. The original is freed as in `CMBlockBufferCreateWithMemoryBlock`.
@discardableResult
public func CMBlockBufferAppendMemoryBlock(
    _ buffer: CMBlockBuffer, memoryBlock: UnsafeMutableRawPointer?, length: Int, blockAllocator: CFAllocator?,
    customBlockSource: UnsafePointer<CMBlockBufferCustomBlockSource>?, offsetToData: Int, dataLength: Int,
    flags: CMBlockBufferFlags
) -> OSStatus {
    guard length >= 0, offsetToData >= 0, dataLength >= 0, offsetToData <= length - dataLength else {
        return kCMBlockBufferBadLengthParameterErr
    }
    let source = customBlockSource?.pointee
    var block = memoryBlock
    if block == nil, let allocate = source?.AllocateBlock {
        block = allocate(source?.refCon, length)
        if block == nil { return kCMBlockBufferBlockAllocationFailedErr }
    }
    let isDone = buffer.append(dataLength) { target in
        if let block { target.copyMemory(from: UnsafeRawBufferPointer(start: block + offsetToData, count: dataLength)) }
    }
    guard isDone else { return kCMBlockBufferBlockAllocationFailedErr }
    if let block, let source {
        source.FreeBlock?(source.refCon, block, length)
    } else if let block, let blockAllocator, blockAllocator === kCFAllocatorMalloc {
        free(block)
    }
    return kCMBlockBufferNoErr
}

/// - Parameter dataLength: the length; 0 means all bytes from the offset on.
@discardableResult
public func CMBlockBufferCreateContiguous(
    allocator: CFAllocator?, sourceBuffer: CMBlockBuffer, blockAllocator: CFAllocator?,
    customBlockSource: UnsafePointer<CMBlockBufferCustomBlockSource>?, offsetToData: Int, dataLength: Int,
    flags: CMBlockBufferFlags, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
    let (range, status) = sourceBuffer.range(from: offsetToData, dataLength)
    guard let range else { return status }
    blockBufferOut.pointee = CMBlockBuffer(
        MediaData(copying: UnsafeRawBufferPointer(rebasing: sourceBuffer.bytes[range])))
    return kCMBlockBufferNoErr
}

/// Creates a block that shares another block's bytes and retains that block.
@discardableResult
public func CMBlockBufferCreateWithBufferReference(
    allocator: CFAllocator?, referenceBuffer: CMBlockBuffer, offsetToData: Int, dataLength: Int,
    flags: CMBlockBufferFlags, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
    let (range, status) = referenceBuffer.range(from: offsetToData, dataLength)
    guard let range else { return status }
    let bytes = UnsafeRawBufferPointer(rebasing: referenceBuffer.bytes[range])
    blockBufferOut.pointee = CMBlockBuffer(MediaData(borrowing: bytes, keeping: referenceBuffer))
    return kCMBlockBufferNoErr
}

@discardableResult
public func CMBlockBufferAppendBufferReference(
    _ buffer: CMBlockBuffer, targetBBuf: CMBlockBuffer, offsetToData: Int, dataLength: Int, flags: CMBlockBufferFlags
) -> OSStatus {
    let (range, status) = targetBBuf.range(from: offsetToData, dataLength)
    guard let range else { return status }
    let bytes = UnsafeRawBufferPointer(rebasing: targetBBuf.bytes[range])
    return buffer.append(bytes.count) { $0.copyMemory(from: bytes) }
        ? kCMBlockBufferNoErr : kCMBlockBufferBlockAllocationFailedErr
}

extension CMBlockBuffer {
    /// Returns the range that an offset and a length define. A length of 0 means all bytes from the offset on. If
    /// offset or length is invalid, the range is nil and the status is the error.
    fileprivate func range(from offset: Int, _ length: Int) -> (Range<Int>?, OSStatus) {
        let all = dataLength
        guard offset >= 0, offset <= all else { return (nil, kCMBlockBufferBadOffsetParameterErr) }
        let length = length == 0 ? all - offset : length
        guard length >= 0, length <= all - offset else { return (nil, kCMBlockBufferBadLengthParameterErr) }
        return (offset..<(offset + length), kCMBlockBufferNoErr)
    }
}
