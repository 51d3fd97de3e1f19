public import Foundation
import MediaTypes
import RealTime

public let kCMBlockBufferNoErr: OSStatus = 0
public let kCMBlockBufferBadLengthParameterErr: OSStatus = -12704
public let kCMBlockBufferBadPointerParameterErr: OSStatus = -12705
public let kCMBlockBufferBadOffsetParameterErr: OSStatus = -12703
public let kCMBlockBufferBlockAllocationFailedErr: OSStatus = -12701
public let kCMBlockBufferEmptyBBufErr: OSStatus = -12707
public typealias CMBlockBufferFlags = UInt32
public let kCMBlockBufferAssureMemoryNowFlag: CMBlockBufferFlags = 1
public let kCMBlockBufferAlwaysCopyDataFlag: CMBlockBufferFlags = 2
public let kCMBlockBufferDontOptimizeDepthFlag: CMBlockBufferFlags = 4
public let kCMBlockBufferPermitEmptyReferenceFlag: CMBlockBufferFlags = 8

/// Bytes of media, in one piece.
///
/// Those that came from a reader are lent by it. The calls that write make a copy of such bytes first; whoever writes through
/// a pointer does so where they stand, as with Core Media.
public final class CMBlockBuffer: @unchecked Sendable {
    // Unchecked: the memory is written by its owner alone, as Apple's is; which memory it is, is behind the lock.
    private enum Storage {
        case lent(MediaData)
        case own(UnsafeMutableRawBufferPointer)
    }

    private let storage: Locked<Storage>
    public let dataLength: Int

    init(_ data: MediaData) {
        storage = Locked(.lent(data))
        dataLength = data.count
    }

    /// Zeroed memory; nil where there is not so much.
    init?(byteCount: Int) {
        guard let start = calloc(max(1, byteCount), 1) else { return nil }
        let memory = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        storage = Locked(.own(memory))
        dataLength = byteCount
    }

    deinit {
        if case .own(let memory) = storage.withLock({ $0 }) { free(memory.baseAddress) }
    }

    /// For reading, as long as this object lives.
    var bytes: UnsafeRawBufferPointer {
        storage.withLock { storage in
            switch storage {
            case .lent(let data): data.bytes
            case .own(let memory): UnsafeRawBufferPointer(memory)
            }
        }
    }

    /// For writing, as long as this object lives.
    var mutableBytes: UnsafeMutableRawBufferPointer {
        storage.withLock { storage in
            switch storage {
            case .own(let memory): return memory
            case .lent(let data):
                let own = UnsafeMutableRawBufferPointer(start: malloc(max(1, data.count)), count: data.count)
                own.copyMemory(from: data.bytes)
                storage = .own(own)
                return own
            }
        }
    }

    /// The same bytes for the engine, which does not copy them.
    var media: MediaData {
        storage.withLock { storage in
            switch storage {
            case .lent(let data): data
            case .own(let memory): MediaData(borrowing: UnsafeRawBufferPointer(memory), keeping: self)
            }
        }
    }

    /// A copy of all bytes.
    public func dataBytes() throws -> Data { Data(bytes) }

    public func withContiguousStorage<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(bytes)
    }
}

public func CMBlockBufferGetDataLength(_ buffer: CMBlockBuffer) -> Int { buffer.dataLength }
public func CMBlockBufferIsEmpty(_ buffer: CMBlockBuffer) -> Bool { buffer.dataLength == 0 }
public func CMBlockBufferIsRangeContiguous(_ buffer: CMBlockBuffer, atOffset offset: Int, length: Int) -> Bool {
    offset >= 0 && length >= 0 && offset <= buffer.dataLength - length
}

/// Where the bytes from `offset` on stand; always all of them, since there is one piece.
@discardableResult
public func CMBlockBufferGetDataPointer(
    _ buffer: CMBlockBuffer, atOffset offset: Int, lengthAtOffsetOut: UnsafeMutablePointer<Int>?,
    totalLengthOut: UnsafeMutablePointer<Int>?, dataPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OSStatus {
    guard offset >= 0, offset < max(1, buffer.dataLength) else { return kCMBlockBufferBadOffsetParameterErr }
    lengthAtOffsetOut?.pointee = buffer.dataLength - offset
    totalLengthOut?.pointee = buffer.dataLength
    dataPointerOut?.pointee = buffer.pointer.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
    return kCMBlockBufferNoErr
}

@discardableResult
public func CMBlockBufferCopyDataBytes(
    _ buffer: CMBlockBuffer, atOffset offset: Int, dataLength: Int, destination: UnsafeMutableRawPointer
) -> OSStatus {
    guard CMBlockBufferIsRangeContiguous(buffer, atOffset: offset, length: dataLength) else {
        return offset < 0 || offset > buffer.dataLength
            ? kCMBlockBufferBadOffsetParameterErr : kCMBlockBufferBadLengthParameterErr
    }
    if let start = buffer.bytes.baseAddress { destination.copyMemory(from: start + offset, byteCount: dataLength) }
    return kCMBlockBufferNoErr
}

@discardableResult
public func CMBlockBufferReplaceDataBytes(
    with source: UnsafeRawPointer, blockBuffer: CMBlockBuffer, offsetIntoDestination offset: Int, dataLength: Int
) -> OSStatus {
    guard CMBlockBufferIsRangeContiguous(blockBuffer, atOffset: offset, length: dataLength) else {
        return kCMBlockBufferBadLengthParameterErr
    }
    blockBuffer.mutableBytes.baseAddress.map { ($0 + offset).copyMemory(from: source, byteCount: dataLength) }
    return kCMBlockBufferNoErr
}

@discardableResult
public func CMBlockBufferFillDataBytes(
    with value: CChar, blockBuffer: CMBlockBuffer, offsetIntoDestination offset: Int, dataLength: Int
) -> OSStatus {
    guard CMBlockBufferIsRangeContiguous(blockBuffer, atOffset: offset, length: dataLength) else {
        return kCMBlockBufferBadLengthParameterErr
    }
    blockBuffer.mutableBytes.baseAddress.map { _ = memset($0 + offset, Int32(value), dataLength) }
    return kCMBlockBufferNoErr
}

/// Memory that is given is copied, so that nobody has to keep it; with none there are zeros.
@discardableResult
public func CMBlockBufferCreateWithMemoryBlock(
    allocator: CFAllocator?, memoryBlock: UnsafeMutableRawPointer?, blockLength: Int, blockAllocator: CFAllocator?,
    customBlockSource: UnsafeRawPointer?, offsetToData: Int, dataLength: Int, flags: CMBlockBufferFlags,
    blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
    guard blockLength >= 0, offsetToData >= 0, dataLength >= 0, offsetToData <= blockLength - dataLength else {
        return kCMBlockBufferBadLengthParameterErr
    }
    guard let buffer = CMBlockBuffer(byteCount: dataLength) else { return kCMBlockBufferBlockAllocationFailedErr }
    if let memoryBlock, dataLength > 0 {
        buffer.mutableBytes.copyMemory(
            from: UnsafeRawBufferPointer(start: memoryBlock + offsetToData, count: dataLength))
    }
    blockBufferOut.pointee = buffer
    return kCMBlockBufferNoErr
}

@discardableResult
public func CMBlockBufferCreateContiguous(
    allocator: CFAllocator?, sourceBuffer: CMBlockBuffer, blockAllocator: CFAllocator?,
    customBlockSource: UnsafeRawPointer?, offsetToData: Int, dataLength: Int, flags: CMBlockBufferFlags,
    blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
    guard offsetToData >= 0 else { return kCMBlockBufferBadOffsetParameterErr }
    let length = dataLength == 0 ? sourceBuffer.dataLength - offsetToData : dataLength
    guard CMBlockBufferIsRangeContiguous(sourceBuffer, atOffset: offsetToData, length: length) else {
        return kCMBlockBufferBadLengthParameterErr
    }
    let all = sourceBuffer.bytes
    blockBufferOut.pointee = CMBlockBuffer(
        MediaData(copying: UnsafeRawBufferPointer(rebasing: all[offsetToData..<(offsetToData + length)])))
    return kCMBlockBufferNoErr
}

extension CMBlockBuffer {
    /// Where the bytes stand. Apple's signature makes the pointer mutable; those who only read, as nearly all do, must not
    /// pay for a copy, and those who write do so to a buffer that they made.
    fileprivate var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(mutating: bytes.baseAddress) }
}
