import Foundation

public func CMBlockBufferGetDataLength(_ buffer: CMBlockBuffer) -> Int { buffer.dataLength }
public func CMBlockBufferIsEmpty(_ buffer: CMBlockBuffer) -> Bool { buffer.dataLength == 0 }
public func CMBlockBufferIsRangeContiguous(_ buffer: CMBlockBuffer, atOffset offset: Int, length: Int) -> Bool {
    offset >= 0 && length >= 0 && offset <= buffer.dataLength - length
}
public func CMBlockBufferGetTypeID() -> CFTypeID { 2 }

/// Does nothing, because the memory is always allocated.
@discardableResult
public func CMBlockBufferAssureBlockMemory(_ buffer: CMBlockBuffer) -> OSStatus { kCMBlockBufferNoErr }

/// Returns the address of the bytes from `offset` on. The bytes are always contiguous up to the end.
@discardableResult
public func CMBlockBufferGetDataPointer(
    _ buffer: CMBlockBuffer, atOffset offset: Int, lengthAtOffsetOut: UnsafeMutablePointer<Int>?,
    totalLengthOut: UnsafeMutablePointer<Int>?, dataPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OSStatus {
    let length = buffer.dataLength
    guard offset >= 0, offset < max(1, length) else { return kCMBlockBufferBadOffsetParameterErr }
    lengthAtOffsetOut?.pointee = length - offset
    totalLengthOut?.pointee = length
    dataPointerOut?.pointee = buffer.pointer.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
    return kCMBlockBufferNoErr
}

/// Returns the same as `CMBlockBufferGetDataPointer`. The temporary block is not needed, because the bytes are
/// contiguous.
@discardableResult
public func CMBlockBufferAccessDataBytes(
    _ buffer: CMBlockBuffer, atOffset offset: Int, length: Int, temporaryBlock: UnsafeMutableRawPointer,
    returnedPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> OSStatus {
    guard CMBlockBufferIsRangeContiguous(buffer, atOffset: offset, length: length) else {
        return kCMBlockBufferBadLengthParameterErr
    }
    returnedPointerOut.pointee = buffer.pointer.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
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
    guard let start = blockBuffer.mutableBytes?.baseAddress else { return kCMBlockBufferBlockAllocationFailedErr }
    (start + offset).copyMemory(from: source, byteCount: dataLength)
    return kCMBlockBufferNoErr
}

@discardableResult
public func CMBlockBufferFillDataBytes(
    with value: CChar, blockBuffer: CMBlockBuffer, offsetIntoDestination offset: Int, dataLength: Int
) -> OSStatus {
    guard CMBlockBufferIsRangeContiguous(blockBuffer, atOffset: offset, length: dataLength) else {
        return kCMBlockBufferBadLengthParameterErr
    }
    guard let start = blockBuffer.mutableBytes?.baseAddress else { return kCMBlockBufferBlockAllocationFailedErr }
    memset(start + offset, Int32(value), dataLength)
    return kCMBlockBufferNoErr
}
