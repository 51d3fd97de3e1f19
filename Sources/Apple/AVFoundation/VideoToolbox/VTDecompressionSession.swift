import Dispatch
import Foundation
import MediaCodecs
import MediaTypes

/// Decodes video with the library's decoders.
///
/// Safe to call from any thread. A frame is decoded on the caller's thread. Its callback also runs on that thread,
/// before the call returns. With `_EnableAsynchronousDecompression`, callbacks run one after another on a thread of the
/// session. Frames are returned in presentation order. If the stream reorders frames, each frame is therefore returned
/// some calls later.
public final class VTDecompressionSession: @unchecked Sendable {
    // Unchecked: mutable state is used only on the serial queue `work`. The rest is constant or has its own lock.
    private typealias Done = (frame: SessionDecoder.Frame, status: OSStatus, image: CVImageBuffer?)

    private let work = DispatchQueue(label: "recorder.VideoToolbox.decompression")
    private let callbacks = CallbackQueue()
    private let decoder: SessionDecoder
    private let callback: VTDecompressionOutputCallbackRecord?
    private var values: [String: NSNumber] = [:]
    private var isInvalid = false

    init(_ decoder: SessionDecoder, _ callback: VTDecompressionOutputCallbackRecord?) {
        self.decoder = decoder
        self.callback = callback
    }

    deinit { callbacks.end() }

    // MARK: Frames

    /// Decodes a sample for the session's callback.
    func decode(
        _ sample: CMSampleBuffer, _ flags: VTDecodeFrameFlags, refcon: UnsafeMutableRawPointer?
    ) -> OSStatus {
        guard let callback, let function = callback.decompressionOutputCallback else { return kVTParameterErr }
        let sessionRefCon = callback.decompressionOutputRefCon
        return decodePackets(of: sample, flags) { function(sessionRefCon, refcon, $0, $1, $2, $3, $4) }
    }

    /// Decodes a sample for its own handler. Only for a session without a callback.
    func decode(
        _ sample: CMSampleBuffer, _ flags: VTDecodeFrameFlags, handler: @escaping VTDecompressionOutputHandler
    ) -> OSStatus {
        guard callback == nil else { return kVTParameterErr }
        return decodePackets(of: sample, flags, handler)
    }

    private func decodePackets(
        of sample: CMSampleBuffer, _ flags: VTDecodeFrameFlags, _ handler: @escaping VTDecompressionOutputHandler
    ) -> OSStatus {
        guard let packets = sample.codedPackets() else { return kVTVideoDecoderBadDataErr }
        let isAsynchronous = flags.contains(._EnableAsynchronousDecompression)
        if isAsynchronous { callbacks.waitForRoom() }
        return run { done in
            let format = sample.formatDescription ?? decoder.description
            guard decoder.accepts(format) else { return kVTFormatDescriptionChangeNotSupportedErr }
            var result = noErr
            for packet in packets {
                let frame = SessionDecoder.Frame(
                    timing: packet.timing, isShown: !flags.contains(._DoNotOutputFrame),
                    isAsynchronous: isAsynchronous, callback: handler)
                do throws(MediaError) {
                    try decoder.decode(packet, format, frame) { done.append(($0, $1, $2)) }
                } catch {
                    result = VTStatus.decoding(error)
                }
            }
            return result
        }
    }

    /// Outputs the frames that the decoder holds. The next frame need not be a keyframe.
    func finishDelayedFrames() -> OSStatus {
        run { done in
            decoder.finish { done.append(($0, $1, $2)) }
            return noErr
        }
    }

    /// Outputs the frames that the decoder holds, and waits until all callbacks have returned.
    func waitForFrames() -> OSStatus {
        let status = finishDelayedFrames()
        callbacks.waitForAll()
        return status
    }

    func accepts(_ description: CMFormatDescription) -> Bool {
        work.sync { !isInvalid && decoder.accepts(description) }
    }

    /// Discards the frames that the decoder holds. No callback on the session's thread runs after this call has
    /// returned, except a callback that makes this call.
    func invalidate() {
        work.sync {
            isInvalid = true
            decoder.discard()
        }
        callbacks.end()
        callbacks.waitForAll()
    }

    /// Runs a closure on the queue `work`, unless the session is invalid. Afterwards, calls the callbacks of the
    /// finished frames. The callbacks may use the session.
    private func run(_ body: (inout [Done]) -> OSStatus) -> OSStatus {
        var done: [Done] = []
        let status = work.sync { isInvalid ? kVTInvalidSessionErr : body(&done) }
        for (frame, status, image) in done {
            var flags: VTDecodeInfoFlags = image == nil ? .frameDropped : .imageBufferModifiable
            let (callback, timing) = (frame.callback, frame.timing)
            guard frame.isAsynchronous else {
                callback(status, flags, image, timing.presentationTimeStamp, timing.duration)
                continue
            }
            flags.insert(.asynchronous)
            let allFlags = flags
            callbacks.call { callback(status, allFlags, image, timing.presentationTimeStamp, timing.duration) }
        }
        return status
    }
}

extension VTDecompressionSession: PropertySession {
    private static let settable: Set<String> = [
        kVTDecompressionPropertyKey_MaximizePowerEfficiency, kVTDecompressionPropertyKey_RealTime,
        kVTDecompressionPropertyKey_ThreadCount,
    ]

    func setProperty(_ key: String, _ value: Any?) -> OSStatus {
        work.sync {
            guard !isInvalid else { return kVTInvalidSessionErr }
            guard Self.settable.contains(key) else {
                return supportedProperties[key] == nil ? kVTPropertyNotSupportedErr : kVTPropertyReadOnlyErr
            }
            let number = value as? NSNumber
            guard value == nil || number != nil else { return kVTParameterErr }
            if key == kVTDecompressionPropertyKey_ThreadCount {
                let count = number?.intValue ?? 0
                guard (0...64).contains(count) else { return kVTParameterErr }
                decoder.threadCount = count
            }
            values[key] = number
            return noErr
        }
    }

    func property(_ key: String) -> (value: Any?, status: OSStatus) {
        work.sync {
            guard !isInvalid else { return (nil, kVTInvalidSessionErr) }
            switch key {
            case kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded:
                return (NSNumber(value: decoder.heldCount), noErr)
            case kVTDecompressionPropertyKey_PixelBufferPoolIsShared: return (NSNumber(value: false), noErr)
            default:
                guard supportedProperties[key] != nil else { return (nil, kVTPropertyNotSupportedErr) }
                return (values[key], noErr)
            }
        }
    }

    var supportedProperties: [String: PropertyAccess] {
        var keys: [String: PropertyAccess] = [
            kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded: .readOnly,
            kVTDecompressionPropertyKey_PixelBufferPoolIsShared: .readOnly,
        ]
        for key in Self.settable { keys[key] = .readWrite }
        return keys
    }
}
