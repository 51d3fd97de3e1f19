public import Foundation
import MediaTypes

public typealias CMSampleBufferMakeDataReadyCallback = (CMSampleBuffer, UnsafeMutableRawPointer?) -> OSStatus

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
    buffer.outputPresentationTimeStamp = newValue
    return noErr
}
public func CMSampleBufferGetNumSamples(_ buffer: CMSampleBuffer) -> CMItemCount { buffer.numSamples }
public func CMSampleBufferGetTotalSampleSize(_ buffer: CMSampleBuffer) -> Int { buffer.totalSampleSize }
public func CMSampleBufferGetSampleSize(_ buffer: CMSampleBuffer, at index: CMItemIndex) -> Int {
    buffer.size(at: index)
}
public func CMSampleBufferIsValid(_ buffer: CMSampleBuffer) -> Bool { buffer.isValid }
public func CMSampleBufferDataIsReady(_ buffer: CMSampleBuffer) -> Bool { buffer.dataReadiness }
@discardableResult
public func CMSampleBufferMakeDataReady(_ buffer: CMSampleBuffer) -> OSStatus { noErr }
@discardableResult
public func CMSampleBufferSetDataReady(_ buffer: CMSampleBuffer) -> OSStatus {
    buffer.setReady()
    return noErr
}
@discardableResult
public func CMSampleBufferSetDataBuffer(_ buffer: CMSampleBuffer, newValue: CMBlockBuffer) -> OSStatus {
    guard buffer.imageBuffer == nil, buffer.dataBuffer == nil else { return kCMSampleBufferError_AlreadyHasDataBuffer }
    buffer.setReady(newValue)
    return noErr
}
@discardableResult
public func CMSampleBufferInvalidate(_ buffer: CMSampleBuffer) -> OSStatus {
    try? buffer.invalidate()
    return noErr
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
    let all = buffer.timingInfos
    entriesNeededOut?.pointee = all.count
    guard let arrayToFill, entryCount > 0 else { return noErr }
    guard entryCount >= all.count else { return kCMSampleBufferError_ArrayTooSmall }
    for (index, timing) in all.enumerated() { arrayToFill[index] = timing }
    return noErr
}

/// Dictionaries that may be changed, one for each sample; nil where there are none and none are wanted.
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
        sizes: Array(UnsafeBufferPointer(start: sampleSizeArray, count: sampleSizeEntryCount)), isReady: dataReady)
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

/// Sound as packets that lie one after the other in the data.
@discardableResult
public func CMAudioSampleBufferCreateReadyWithPacketDescriptions(
    allocator: CFAllocator?, dataBuffer: CMBlockBuffer, formatDescription: CMFormatDescription,
    sampleCount: CMItemCount, presentationTimeStamp: CMTime,
    packetDescriptions: UnsafePointer<AudioStreamPacketDescription>?,
    sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    guard let audio = formatDescription.engine.audio, sampleCount >= 0 else {
        return kCMSampleBufferError_InvalidMediaFormat
    }
    let frames = max(1, audio.framesPerPacket)
    let timing = CMSampleTimingInfo(
        duration: CMTime(value: Int64(frames), timescale: Int32(clamping: audio.sampleRate)),
        presentationTimeStamp: presentationTimeStamp, decodeTimeStamp: .invalid)
    let sizes = packetDescriptions.map { list in (0..<sampleCount).map { Int(list[$0].mDataByteSize) } } ?? []
    sampleBufferOut.pointee = CMSampleBuffer(
        .data(dataBuffer), format: formatDescription, count: sampleCount, timings: [timing], sizes: sizes)
    return noErr
}

@discardableResult
public func CMSampleBufferCreateReadyWithImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription,
    sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    guard CMVideoFormatDescriptionMatchesImageBuffer(formatDescription, imageBuffer: imageBuffer) else {
        return kCMSampleBufferError_InvalidMediaFormat
    }
    sampleBufferOut.pointee = CMSampleBuffer(
        .image(imageBuffer), format: formatDescription, count: 1, timings: [sampleTiming.pointee], sizes: [])
    return noErr
}

@discardableResult
public func CMSampleBufferCreateForImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer, dataReady: Bool,
    makeDataReadyCallback: CMSampleBufferMakeDataReadyCallback?,
    refcon: UnsafeMutableRawPointer?, formatDescription: CMVideoFormatDescription,
    sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    CMSampleBufferCreateReadyWithImageBuffer(
        allocator: allocator, imageBuffer: imageBuffer, formatDescription: formatDescription,
        sampleTiming: sampleTiming, sampleBufferOut: sampleBufferOut)
}

@discardableResult
public func CMSampleBufferCreateCopy(
    allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    sampleBufferOut.pointee = sampleBuffer.copied(timings: nil)
    return noErr
}

@discardableResult
public func CMSampleBufferCreateCopyWithNewTiming(
    allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleTimingEntryCount: CMItemCount,
    sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    guard sampleTimingEntryCount > 0, let sampleTimingArray else {
        return kCMSampleBufferError_RequiredParameterMissing
    }
    sampleBufferOut.pointee = sampleBuffer.copied(
        timings: Array(UnsafeBufferPointer(start: sampleTimingArray, count: sampleTimingEntryCount)))
    return noErr
}

extension CMSampleBuffer {
    public convenience init(copying sampleBuffer: CMSampleBuffer, withNewTiming timing: [CMSampleTimingInfo]) throws {
        guard !timing.isEmpty else {
            throw NSError(domain: NSOSStatusErrorDomain, code: Int(kCMSampleBufferError_RequiredParameterMissing))
        }
        let copy = sampleBuffer.copied(timings: timing)
        self.init(
            copy.content, format: copy.formatDescription, count: copy.numSamples, timings: timing, sizes: copy.sizeList)
    }

    public convenience init(
        imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription, sampleTiming: CMSampleTimingInfo
    ) throws {
        guard CMVideoFormatDescriptionMatchesImageBuffer(formatDescription, imageBuffer: imageBuffer) else {
            throw NSError(domain: NSOSStatusErrorDomain, code: Int(kCMSampleBufferError_InvalidMediaFormat))
        }
        self.init(.image(imageBuffer), format: formatDescription, count: 1, timings: [sampleTiming], sizes: [])
    }

    public convenience init(
        dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
        sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int]
    ) throws {
        guard numSamples >= 0, [0, 1, numSamples].contains(sampleTimings.count),
            [0, 1, numSamples].contains(sampleSizes.count)
        else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(kCMSampleBufferError_RequiredParameterMissing)) }
        self.init(
            dataBuffer.map { .data($0) } ?? .none, format: formatDescription, count: numSamples,
            timings: sampleTimings, sizes: sampleSizes)
    }
}

public let kCMSampleBufferError_AllocationFailed: OSStatus = -12730
public let kCMSampleBufferError_RequiredParameterMissing: OSStatus = -12731
public let kCMSampleBufferError_AlreadyHasDataBuffer: OSStatus = -12732
public let kCMSampleBufferError_BufferNotReady: OSStatus = -12733
public let kCMSampleBufferError_SampleIndexOutOfRange: OSStatus = -12734
public let kCMSampleBufferError_BufferHasNoSampleSizes: OSStatus = -12735
public let kCMSampleBufferError_BufferHasNoSampleTimingInfo: OSStatus = -12736
public let kCMSampleBufferError_ArrayTooSmall: OSStatus = -12737
public let kCMSampleBufferError_Invalidated: OSStatus = -12744
public let kCMSampleBufferError_InvalidMediaFormat: OSStatus = -12743
