public import Foundation

/// Receives each encoded frame: the session's pointer, the frame's pointer, the status, and the packet or nil.
public typealias VTCompressionOutputCallback = (
    UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, OSStatus, VTEncodeInfoFlags, CMSampleBuffer?
) -> Void

/// Receives one encoded frame.
public typealias VTCompressionOutputHandler = (OSStatus, VTEncodeInfoFlags, CMSampleBuffer?) -> Void

/// Creates a session that encodes frames of one size.
///
/// - Parameters:
///   - encoderSpecification: the choice of an encoder. No encoder uses hardware. With low-latency rate control, the
///     encoder holds back no frames.
///   - sourceImageBufferAttributes: the pixel format of the session's pool. Frames in other formats are converted.
///   - outputCallback: receives the packets; nil if each frame has a handler.
/// - Returns: `kVTParameterErr` for a size that the codec does not support, `kVTCouldNotFindVideoEncoderErr`.
@discardableResult
public func VTCompressionSessionCreate(
    allocator: CFAllocator?, width: Int32, height: Int32, codecType: CMVideoCodecType,
    encoderSpecification: CFDictionary?, imageBufferAttributes sourceImageBufferAttributes: CFDictionary?,
    compressedDataAllocator: CFAllocator?, outputCallback: VTCompressionOutputCallback?,
    refcon outputCallbackRefCon: UnsafeMutableRawPointer?,
    compressionSessionOut: UnsafeMutablePointer<VTCompressionSession?>
) -> OSStatus {
    guard width > 0, height > 0 else { return kVTParameterErr }
    guard let encoder = ListedEncoder.chosen(codecType, encoderSpecification) else {
        return kVTCouldNotFindVideoEncoderErr
    }
    let wishes = encoderSpecification as? [String: Any] ?? [:]
    let lowLatency = wishes[kVTVideoEncoderSpecification_EnableLowLatencyRateControl]
    let properties = CompressionProperties(
        encoder, width: width, height: height, hasLowLatency: lowLatency.flatMap { settingsNumber($0) }?.bool ?? false)
    guard let setup = try? properties.setup() else { return kVTParameterErr }
    let attributes: PixelAttributes
    do throws(SettingsFaults) {
        attributes = try PixelAttributes(sourceImageBufferAttributes as? [String: Any] ?? [:])
    } catch { return VTStatus.attributes(error) }
    let code = attributes.code ?? kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    let poolAttributes: [String: Any] = [
        kCVPixelBufferPixelFormatTypeKey: NSNumber(value: code), kCVPixelBufferWidthKey: NSNumber(value: width),
        kCVPixelBufferHeightKey: NSNumber(value: height),
        kCVPixelBufferBytesPerRowAlignmentKey: NSNumber(value: attributes.bytesPerRowAlignment ?? 64),
    ]
    var pool: CVPixelBufferPool?
    CVPixelBufferPoolCreate(allocator, nil, poolAttributes as NSDictionary, &pool)
    let session = VTCompressionSession(
        properties, setup, pool: pool, callback: outputCallback, refcon: outputCallbackRefCon)
    let status = session.prepare()
    guard status == noErr else { return status }
    compressionSessionOut.pointee = session
    return noErr
}

/// Encodes a frame. The session's callback gets the packet. The times of frames must increase.
///
/// A frame of a different size or pixel format is scaled and converted.
///
/// - Parameter frameProperties: `kVTEncodeFrameOptionKey_ForceKeyFrame`; other options have no effect.
/// - Returns: an error, in which case the callback is not called for the frame: `kVTParameterErr` for an invalid time
///   or frame, `kVTInvalidSessionErr`, `kVTVideoEncoderMalfunctionErr`.
@discardableResult
public func VTCompressionSessionEncodeFrame(
    _ session: VTCompressionSession, imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime,
    frameProperties: CFDictionary?, sourceFrameRefcon: UnsafeMutableRawPointer?,
    infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?
) -> OSStatus {
    let status = session.encode(
        imageBuffer, at: presentationTimeStamp, lasting: duration, frameProperties, refcon: sourceFrameRefcon)
    infoFlagsOut?.pointee = status == noErr ? .asynchronous : []
    return status
}

/// Encodes a frame. The handler gets the packet. The session must have been created without a callback.
@discardableResult
public func VTCompressionSessionEncodeFrame(
    _ session: VTCompressionSession, imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime,
    frameProperties: CFDictionary?, infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?,
    outputHandler: @escaping VTCompressionOutputHandler
) -> OSStatus {
    let status = session.encode(
        imageBuffer, at: presentationTimeStamp, lasting: duration, frameProperties, handler: outputHandler)
    infoFlagsOut?.pointee = status == noErr ? .asynchronous : []
    return status
}

/// Checks that the properties can be used together. The encoder is not opened before the first frame, because it needs
/// the frame's color tags.
@discardableResult
public func VTCompressionSessionPrepareToEncodeFrames(_ session: VTCompressionSession) -> OSStatus {
    session.prepare()
}

/// Waits until the callbacks of all frames up to a time have returned. If the time is not numeric, waits for all
/// frames.
///
/// If the encoder holds a frame up to that time, it outputs all frames that it holds, and the next frame is a keyframe.
@discardableResult
public func VTCompressionSessionCompleteFrames(
    _ session: VTCompressionSession, untilPresentationTimeStamp completeUntilPresentationTimeStamp: CMTime
) -> OSStatus {
    session.completeFrames(upTo: completeUntilPresentationTimeStamp)
}

/// Ends the session. Frames that the encoder holds are discarded. No callback runs after this call has returned, except
/// a callback that makes this call.
public func VTCompressionSessionInvalidate(_ session: VTCompressionSession) { session.invalidate() }

/// Returns a pool for frames of the session's size; nil if the session was invalidated.
public func VTCompressionSessionGetPixelBufferPool(_ session: VTCompressionSession) -> CVPixelBufferPool? {
    session.pixelBufferPool
}

// MARK: Several passes

/// Begins a pass. The first pass measures the frames. The second pass encodes them again, and its packets replace those
/// of the first.
///
/// - Returns: `kVTParameterErr` for a session without `kVTCompressionPropertyKey_MultiPassStorage` or without a bit
///   rate, and for a session in real time. Only H.264 and HEVC have passes.
@discardableResult
public func VTCompressionSessionBeginPass(
    _ session: VTCompressionSession, flags beginPassFlags: VTCompressionSessionOptionFlags,
    _ reserved: UnsafeMutablePointer<UInt32>?
) -> OSStatus {
    session.beginPass(isFinal: beginPassFlags.contains(.beginFinalPass))
}

/// Ends a pass, and outputs all of its frames.
///
/// - Parameter furtherPassesRequestedOut: set to true after the first pass, unless that pass was declared as the final
///   one.
@discardableResult
public func VTCompressionSessionEndPass(
    _ session: VTCompressionSession, furtherPassesRequestedOut: UnsafeMutablePointer<DarwinBoolean>?,
    _ reserved: UnsafeMutablePointer<UInt32>?
) -> OSStatus {
    let (status, wantsAnother) = session.endPass()
    furtherPassesRequestedOut?.pointee = DarwinBoolean(wantsAnother)
    return status
}

/// Returns the time range of the frames that the next pass encodes again. It always contains all frames.
///
/// - Parameter timeRangeArrayOut: set to a pointer that is valid while the session exists.
@discardableResult
public func VTCompressionSessionGetTimeRangesForNextPass(
    _ session: VTCompressionSession, timeRangeCountOut: UnsafeMutablePointer<CMItemCount>,
    timeRangeArrayOut: UnsafeMutablePointer<UnsafePointer<CMTimeRange>?>
) -> OSStatus {
    guard let range = session.nextPassRange else { return kVTParameterErr }
    timeRangeCountOut.pointee = 1
    timeRangeArrayOut.pointee = range
    return noErr
}
