public import Foundation
import MediaTypes

public typealias CMSampleBufferMakeDataReadyCallback = (CMSampleBuffer, UnsafeMutableRawPointer?) -> OSStatus
public typealias CMSampleBufferMakeDataReadyHandler = (CMSampleBuffer) -> OSStatus

public func CMSampleBufferGetImageBuffer(_ buffer: CMSampleBuffer) -> CVImageBuffer? { buffer.imageBuffer }
public func CMSampleBufferGetDataBuffer(_ buffer: CMSampleBuffer) -> CMBlockBuffer? { buffer.dataBuffer }
public func CMSampleBufferGetFormatDescription(_ buffer: CMSampleBuffer) -> CMFormatDescription? {
    buffer.formatDescription
}
public func CMSampleBufferGetPresentationTimeStamp(_ buffer: CMSampleBuffer) -> CMTime { buffer.presentationTimeStamp }
public func CMSampleBufferGetDecodeTimeStamp(_ buffer: CMSampleBuffer) -> CMTime { buffer.decodeTimeStamp }
public func CMSampleBufferGetDuration(_ buffer: CMSampleBuffer) -> CMTime { buffer.duration }
public func CMSampleBufferGetOutputPresentationTimeStamp(_ buffer: CMSampleBuffer) -> CMTime {
    buffer.outputPresentationTimeStamp
}
public func CMSampleBufferGetOutputDuration(_ buffer: CMSampleBuffer) -> CMTime { buffer.outputDuration }
public func CMSampleBufferGetOutputDecodeTimeStamp(_ buffer: CMSampleBuffer) -> CMTime { buffer.outputDecodeTimeStamp }
@discardableResult
public func CMSampleBufferSetOutputPresentationTimeStamp(_ buffer: CMSampleBuffer, newValue: CMTime) -> OSStatus {
    status { try buffer.setOutputPresentationTimeStamp(newValue) }
}
public func CMSampleBufferGetNumSamples(_ buffer: CMSampleBuffer) -> CMItemCount { buffer.numSamples }
public func CMSampleBufferGetTotalSampleSize(_ buffer: CMSampleBuffer) -> Int { buffer.totalSampleSize }
public func CMSampleBufferGetSampleSize(_ buffer: CMSampleBuffer, at index: CMItemIndex) -> Int {
    buffer.size(at: index)
}
public func CMSampleBufferIsValid(_ buffer: CMSampleBuffer) -> Bool { buffer.isValid }
public func CMSampleBufferGetTypeID() -> CFTypeID { 3 }
public func CMSampleBufferDataIsReady(_ buffer: CMSampleBuffer) -> Bool { buffer.isReady }
@discardableResult
public func CMSampleBufferMakeDataReady(_ buffer: CMSampleBuffer) -> OSStatus { status(buffer.makeDataReady) }
@discardableResult
public func CMSampleBufferSetDataReady(_ buffer: CMSampleBuffer) -> OSStatus {
    buffer.setReadiness(.ready)
    return noErr
}
@discardableResult
public func CMSampleBufferSetDataFailed(_ buffer: CMSampleBuffer, status: OSStatus) -> OSStatus {
    buffer.setReadiness(.failed(status))
    return noErr
}
public func CMSampleBufferHasDataFailed(_ buffer: CMSampleBuffer, statusOut: UnsafeMutablePointer<OSStatus>?) -> Bool {
    guard case .failed(let status) = buffer.dataReadiness else { return false }
    statusOut?.pointee = status
    return true
}
@discardableResult
public func CMSampleBufferTrackDataReadiness(
    _ buffer: CMSampleBuffer, sampleBufferToTrack: CMSampleBuffer
) -> OSStatus {
    status { try buffer.trackDataReadiness(sampleBufferToTrack) }
}
@discardableResult
public func CMSampleBufferSetInvalidateHandler(
    _ buffer: CMSampleBuffer, invalidateHandler: @escaping (CMSampleBuffer) -> Void
) -> OSStatus {
    status { try buffer.setInvalidateHandler(invalidateHandler) }
}

/// Runs `body` and returns the code of the error that it throws; `noErr` if it throws none.
private func status(_ body: () throws -> Void) -> OSStatus {
    do { try body() } catch { return OSStatus(truncatingIfNeeded: (error as NSError).code) }
    return noErr
}

@discardableResult
public func CMSampleBufferSetDataBuffer(_ buffer: CMSampleBuffer, newValue: CMBlockBuffer) -> OSStatus {
    buffer.set(newValue) ? noErr : kCMSampleBufferError_AlreadyHasDataBuffer
}
@discardableResult
public func CMSampleBufferInvalidate(_ buffer: CMSampleBuffer) -> OSStatus {
    status(buffer.invalidate)
}

@discardableResult
public func CMSampleBufferGetSampleTimingInfo(
    _ buffer: CMSampleBuffer, at index: CMItemIndex, timingInfoOut: UnsafeMutablePointer<CMSampleTimingInfo>
) -> OSStatus {
    guard let timing = buffer.timing(at: index) else { return kCMSampleBufferError_SampleIndexOutOfRange }
    timingInfoOut.pointee = timing
    return noErr
}
@discardableResult
public func CMSampleBufferGetSampleTimingInfoArray(
    _ buffer: CMSampleBuffer, entryCount: CMItemCount, arrayToFill: UnsafeMutablePointer<CMSampleTimingInfo>?,
    entriesNeededOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
    fill(arrayToFill, entryCount, with: buffer.timingInfos, entriesNeededOut)
}
@discardableResult
public func CMSampleBufferGetOutputSampleTimingInfoArray(
    _ buffer: CMSampleBuffer, entryCount: CMItemCount, arrayToFill: UnsafeMutablePointer<CMSampleTimingInfo>?,
    entriesNeededOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
    fill(arrayToFill, entryCount, with: buffer.outputTimingInfos, entriesNeededOut)
}
@discardableResult
public func CMSampleBufferGetSampleSizeArray(
    _ buffer: CMSampleBuffer, entryCount: CMItemCount, arrayToFill: UnsafeMutablePointer<Int>?,
    entriesNeededOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
    let all = buffer.allSizes
    guard !all.isEmpty else { return kCMSampleBufferError_BufferHasNoSampleSizes }
    return fill(arrayToFill, entryCount, with: all, entriesNeededOut)
}

private func fill<Element>(
    _ target: UnsafeMutablePointer<Element>?, _ count: Int, with all: [Element],
    _ needed: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
    needed?.pointee = all.count
    guard let target, count > 0 else { return noErr }
    guard count >= all.count else { return kCMSampleBufferError_ArrayTooSmall }
    for (index, element) in all.enumerated() { target[index] = element }
    return noErr
}

/// Returns mutable dictionaries, one for each sample; nil if there are none and `createIfNecessary` is false.
public func CMSampleBufferGetSampleAttachmentsArray(_ buffer: CMSampleBuffer, createIfNecessary: Bool) -> CFArray? {
    buffer.sampleAttachments(creates: createIfNecessary).map { NSArray(array: $0) }
}

@discardableResult
public func CMSampleBufferCreate(
    allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, dataReady: Bool,
    makeDataReadyCallback: CMSampleBufferMakeDataReadyCallback?,
    refcon: UnsafeMutableRawPointer?, formatDescription: CMFormatDescription?, sampleCount: CMItemCount,
    sampleTimingEntryCount: CMItemCount, sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?,
    sampleSizeEntryCount: CMItemCount, sampleSizeArray: UnsafePointer<Int>?,
    sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    guard sampleCount >= 0, [0, 1, sampleCount].contains(sampleTimingEntryCount),
        [0, 1, sampleCount].contains(sampleSizeEntryCount), sampleTimingEntryCount == 0 || sampleTimingArray != nil,
        sampleSizeEntryCount == 0 || sampleSizeArray != nil
    else { return kCMSampleBufferError_RequiredParameterMissing }
    sampleBufferOut.pointee = CMSampleBuffer(
        dataBuffer.map { .data($0) } ?? .none, format: formatDescription, count: sampleCount,
        timings: Array(UnsafeBufferPointer(start: sampleTimingArray, count: sampleTimingEntryCount)),
        sizes: Array(UnsafeBufferPointer(start: sampleSizeArray, count: sampleSizeEntryCount)), isReady: dataReady,
        makeReady: makeDataReadyCallback.map { callback in { callback($0, refcon) } })
    return noErr
}

@discardableResult
public func CMSampleBufferCreateReady(
    allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?,
    sampleCount: CMItemCount, sampleTimingEntryCount: CMItemCount,
    sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, sampleSizeEntryCount: CMItemCount,
    sampleSizeArray: UnsafePointer<Int>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    CMSampleBufferCreate(
        allocator: allocator, dataBuffer: dataBuffer, dataReady: true, makeDataReadyCallback: nil, refcon: nil,
        formatDescription: formatDescription, sampleCount: sampleCount,
        sampleTimingEntryCount: sampleTimingEntryCount, sampleTimingArray: sampleTimingArray,
        sampleSizeEntryCount: sampleSizeEntryCount, sampleSizeArray: sampleSizeArray, sampleBufferOut: sampleBufferOut)
}

@discardableResult
public func CMSampleBufferCreateReadyWithImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription,
    sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    CMSampleBufferCreateForImageBuffer(
        allocator: allocator, imageBuffer: imageBuffer, dataReady: true, makeDataReadyCallback: nil, refcon: nil,
        formatDescription: formatDescription, sampleTiming: sampleTiming, sampleBufferOut: sampleBufferOut)
}

@discardableResult
public func CMSampleBufferCreateForImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer, dataReady: Bool,
    makeDataReadyCallback: CMSampleBufferMakeDataReadyCallback?,
    refcon: UnsafeMutableRawPointer?, formatDescription: CMVideoFormatDescription,
    sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    guard CMVideoFormatDescriptionMatchesImageBuffer(formatDescription, imageBuffer: imageBuffer) else {
        return kCMSampleBufferError_InvalidMediaFormat
    }
    sampleBufferOut.pointee = CMSampleBuffer(
        .image(imageBuffer), format: formatDescription, count: 1, timings: [sampleTiming.pointee], sizes: [],
        isReady: dataReady, makeReady: makeDataReadyCallback.map { callback in { callback($0, refcon) } })
    return noErr
}

@discardableResult
public func CMSampleBufferCreateCopy(
    allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    sampleBufferOut.pointee = CMSampleBuffer(copying: sampleBuffer, timings: nil)
    return noErr
}

/// Copies a range of samples. A frame is a single sample.
@discardableResult
public func CMSampleBufferCopySampleBufferForRange(
    allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleRange: CFRange,
    sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    status {
        let (end, overflow) = sampleRange.location.addingReportingOverflow(sampleRange.length)
        guard sampleRange.location >= 0, sampleRange.length > 0, !overflow else {
            throw CMSampleBuffer.Error.sampleIndexOutOfRange
        }
        sampleBufferOut.pointee = try sampleBuffer.part(sampleRange.location..<end)
    }
}

/// Calls `callback` with each sample and its index. If the callback returns a code other than `noErr`, stops and
/// returns this code.
@discardableResult
public func CMSampleBufferCallForEachSample(
    _ buffer: CMSampleBuffer, callback: (CMSampleBuffer, CMItemCount, UnsafeMutableRawPointer?) -> OSStatus,
    refcon: UnsafeMutableRawPointer?
) -> OSStatus {
    status {
        for (index, sample) in try buffer.singleSampleBuffers().enumerated() {
            try CoreMediaError.check(callback(sample, index, refcon))
        }
    }
}
@discardableResult
public func CMSampleBufferCallBlockForEachSample(
    _ buffer: CMSampleBuffer, _ handler: (CMSampleBuffer, CMItemCount) -> OSStatus
) -> OSStatus {
    CMSampleBufferCallForEachSample(buffer, callback: { sample, index, _ in handler(sample, index) }, refcon: nil)
}

@discardableResult
public func CMSampleBufferCreateCopyWithNewTiming(
    allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleTimingEntryCount: CMItemCount,
    sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    guard sampleTimingEntryCount > 0, let sampleTimingArray else {
        return kCMSampleBufferError_RequiredParameterMissing
    }
    sampleBufferOut.pointee = CMSampleBuffer(
        copying: sampleBuffer,
        timings: Array(UnsafeBufferPointer(start: sampleTimingArray, count: sampleTimingEntryCount)))
    return noErr
}

public let kCMSampleBufferError_AllocationFailed: OSStatus = -12730
public let kCMSampleBufferError_RequiredParameterMissing: OSStatus = -12731
public let kCMSampleBufferError_AlreadyHasDataBuffer: OSStatus = -12732
public let kCMSampleBufferError_BufferNotReady: OSStatus = -12733
public let kCMSampleBufferError_SampleIndexOutOfRange: OSStatus = -12734
public let kCMSampleBufferError_BufferHasNoSampleSizes: OSStatus = -12735
public let kCMSampleBufferError_BufferHasNoSampleTimingInfo: OSStatus = -12736
public let kCMSampleBufferError_ArrayTooSmall: OSStatus = -12737
public let kCMSampleBufferError_InvalidEntryCount: OSStatus = -12738
public let kCMSampleBufferError_CannotSubdivide: OSStatus = -12739
public let kCMSampleBufferError_SampleTimingInfoInvalid: OSStatus = -12740
public let kCMSampleBufferError_InvalidMediaTypeForOperation: OSStatus = -12741
public let kCMSampleBufferError_InvalidSampleData: OSStatus = -12742
public let kCMSampleBufferError_InvalidMediaFormat: OSStatus = -12743
public let kCMSampleBufferError_Invalidated: OSStatus = -12744
public let kCMSampleBufferError_DataFailed: OSStatus = -16750
public let kCMSampleBufferError_DataCanceled: OSStatus = -16751
