public import Foundation
import MediaTypes

/// Receives each decoded frame: the session's pointer, the frame's pointer, the status, the image or nil, the
/// presentation time and the duration.
public typealias VTDecompressionOutputCallback = (
    UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, OSStatus, VTDecodeInfoFlags, CVImageBuffer?, CMTime, CMTime
) -> Void

/// Receives one decoded frame.
public typealias VTDecompressionOutputHandler = (OSStatus, VTDecodeInfoFlags, CVImageBuffer?, CMTime, CMTime) -> Void

/// The callback of a session, and the pointer that the callback gets.
public struct VTDecompressionOutputCallbackRecord {
    public var decompressionOutputCallback: VTDecompressionOutputCallback?
    public var decompressionOutputRefCon: UnsafeMutableRawPointer?

    public init() { self.init(decompressionOutputCallback: nil, decompressionOutputRefCon: nil) }

    public init(
        decompressionOutputCallback: VTDecompressionOutputCallback?, decompressionOutputRefCon: UnsafeMutableRawPointer?
    ) {
        self.decompressionOutputCallback = decompressionOutputCallback
        self.decompressionOutputRefCon = decompressionOutputRefCon
    }
}

/// Creates a session that decodes packets of one codec and size.
///
/// - Parameters:
///   - decoderSpecification: the choice of a decoder. No decoder uses hardware.
///   - imageBufferAttributes: the pixel format and the size of the images. If nil, images have the stored size and the
///     nearest pixel format of Core Video, such as 420v or 420f.
///   - outputCallback: receives the images; nil if each frame has a handler.
/// - Returns: `kVTCouldNotFindVideoDecoderErr`, or `kVTPixelTransferNotSupportedErr` for an unsupported pixel format.
@discardableResult
public func VTDecompressionSessionCreate(
    allocator: CFAllocator?, formatDescription videoFormatDescription: CMVideoFormatDescription,
    decoderSpecification videoDecoderSpecification: CFDictionary?,
    imageBufferAttributes destinationImageBufferAttributes: CFDictionary?,
    outputCallback: UnsafePointer<VTDecompressionOutputCallbackRecord>?,
    decompressionSessionOut: UnsafeMutablePointer<VTDecompressionSession?>
) -> OSStatus {
    let wishes = videoDecoderSpecification as? [String: Any] ?? [:]
    let hardware = wishes[kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder]
    guard hardware.flatMap({ settingsNumber($0) })?.bool != true,
        wishes[kVTVideoDecoderSpecification_RequiredDecoderGPURegistryID] == nil
    else { return kVTCouldNotFindVideoDecoderErr }
    let attributes: PixelAttributes
    do throws(SettingsFaults) {
        attributes = try PixelAttributes(destinationImageBufferAttributes as? [String: Any] ?? [:])
    } catch { return VTStatus.attributes(error) }
    do throws(MediaError) {
        let decoder = try SessionDecoder(videoFormatDescription, attributes)
        decompressionSessionOut.pointee = VTDecompressionSession(decoder, outputCallback?.pointee)
        return noErr
    } catch { return VTStatus.decoding(error) }
}

/// Decodes a sample buffer. The session's callback gets the image.
///
/// - Returns: an error, in which case the callback is not called for the frame: `kVTVideoDecoderBadDataErr` for missing
///   or damaged data, `kVTFormatDescriptionChangeNotSupportedErr`, `kVTInvalidSessionErr`.
@discardableResult
public func VTDecompressionSessionDecodeFrame(
    _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
    frameRefcon sourceFrameRefCon: UnsafeMutableRawPointer?, infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?
) -> OSStatus {
    infoFlagsOut?.pointee = decodeFlags.contains(._EnableAsynchronousDecompression) ? .asynchronous : []
    return session.decode(sampleBuffer, decodeFlags, refcon: sourceFrameRefCon)
}

/// Decodes a sample buffer. The handler gets the image. The session must have been created without a callback.
@discardableResult
public func VTDecompressionSessionDecodeFrame(
    _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
    infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?, outputHandler: @escaping VTDecompressionOutputHandler
) -> OSStatus {
    infoFlagsOut?.pointee = decodeFlags.contains(._EnableAsynchronousDecompression) ? .asynchronous : []
    return session.decode(sampleBuffer, decodeFlags, handler: outputHandler)
}

/// Outputs the frames that the decoder holds back because it reorders frames.
@discardableResult
public func VTDecompressionSessionFinishDelayedFrames(_ session: VTDecompressionSession) -> OSStatus {
    session.finishDelayedFrames()
}

/// Outputs all frames that the decoder holds, and waits for their callbacks.
@discardableResult
public func VTDecompressionSessionWaitForAsynchronousFrames(_ session: VTDecompressionSession) -> OSStatus {
    session.waitForFrames()
}

/// Returns true if packets of this format can follow. It must have the same codec and size, but may have any decoder
/// configuration.
public func VTDecompressionSessionCanAcceptFormatDescription(
    _ session: VTDecompressionSession, formatDescription newFormatDesc: CMFormatDescription
) -> Bool {
    session.accepts(newFormatDesc)
}

/// Ends the session. Frames that the decoder holds are discarded.
public func VTDecompressionSessionInvalidate(_ session: VTDecompressionSession) { session.invalidate() }
