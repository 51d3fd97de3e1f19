import Dispatch
import Foundation
import MediaCodecs
import MediaTypes

/// Encodes frames to H.264, HEVC, ProRes or JPEG, with the library's encoders.
///
/// Safe to call from any thread. A frame is encoded on the caller's thread. Callbacks run one after another on a thread
/// of the session. Callers wait while sixteen callbacks have not returned.
public final class VTCompressionSession: @unchecked Sendable {
    // Unchecked: mutable state is used only on the serial queue `work`. The rest is constant or has its own lock.
    private let work = DispatchQueue(label: "recorder.VideoToolbox.compression")
    private let callbacks = CallbackQueue()
    private let encoder = SessionEncoder()
    private let callback: VTCompressionOutputCallback?
    private let callbackRefCon: UnsafeMutableRawPointer?
    private let pool: CVPixelBufferPool?
    private var properties: CompressionProperties
    private var setup: EncoderSetup
    private var passes = CompressionPasses()
    /// The memory for the time range of the next pass.
    private let range: UnsafeMutablePointer<CMTimeRange>
    /// True if the program requested the frames of the current pass before its end, so that the encoder has ended.
    private var hasEndedPass = false
    private var isInvalid = false

    init(
        _ properties: CompressionProperties, _ setup: EncoderSetup, pool: CVPixelBufferPool?,
        callback: VTCompressionOutputCallback?, refcon: UnsafeMutableRawPointer?
    ) {
        self.properties = properties
        self.setup = setup
        self.pool = pool
        self.callback = callback
        callbackRefCon = refcon
        range = .allocate(capacity: 1)
        range.initialize(to: .invalid)
    }

    deinit {
        callbacks.end()
        range.deallocate()
    }

    // MARK: Frames

    /// Encodes a frame for the session's callback.
    func encode(
        _ image: CVImageBuffer, at time: CMTime, lasting duration: CMTime, _ frameProperties: CFDictionary?,
        refcon: UnsafeMutableRawPointer?
    ) -> OSStatus {
        guard let callback else { return kVTParameterErr }
        let sessionRefCon = callbackRefCon
        return encode(
            image, SessionEncoder.Frame(time: time, duration: duration) { callback(sessionRefCon, refcon, $0, $1, $2) },
            frameProperties)
    }

    /// Encodes a frame for its own handler. Only for a session without a callback.
    func encode(
        _ image: CVImageBuffer, at time: CMTime, lasting duration: CMTime, _ frameProperties: CFDictionary?,
        handler: @escaping VTCompressionOutputHandler
    ) -> OSStatus {
        guard callback == nil else { return kVTParameterErr }
        return encode(image, SessionEncoder.Frame(time: time, duration: duration, callback: handler), frameProperties)
    }

    private func encode(
        _ image: CVImageBuffer, _ frame: SessionEncoder.Frame, _ frameProperties: CFDictionary?
    ) -> OSStatus {
        guard frame.time.isNumeric else { return kVTParameterErr }
        let wish = (frameProperties as? [String: Any])?[kVTEncodeFrameOptionKey_ForceKeyFrame]
        let isKeyframe = wish.flatMap { settingsNumber($0) }?.bool ?? false
        callbacks.waitForRoom()
        return run { () throws(MediaError) -> OSStatus in
            guard !hasEndedPass else { return kVTParameterErr }
            try encoder.encode(
                image.pixels, frame, asKeyframe: isKeyframe, setup, pass: passes.encoding, output: deliver)
            passes.add(frame.time, lasting: frame.duration)
            return noErr
        }
    }

    private func deliver(_ frame: SessionEncoder.Frame, _ status: OSStatus, _ sample: CMSampleBuffer?) {
        let flags: VTEncodeInfoFlags = sample == nil ? [.asynchronous, .frameDropped] : .asynchronous
        callbacks.call { frame.callback(status, flags, sample) }
    }

    /// Waits until the callbacks of all frames up to `time` have returned. If the time is not numeric, waits for all
    /// frames.
    func completeFrames(upTo time: CMTime) -> OSStatus {
        let result = run { () throws(MediaError) -> OSStatus in
            guard encoder.holdsFrame(upTo: time) else { return noErr }
            if passes.isRunning { hasEndedPass = true }
            try encoder.finish(output: deliver)
            return noErr
        }
        callbacks.waitForAll()
        return result
    }

    /// Checks that an encoder can be opened with the properties. The first frame opens it.
    func prepare() -> OSStatus {
        run { () throws(MediaError) -> OSStatus in
            try VideoEncoderRules.check(setup.settings, isRealTime: setup.isRealTime, pass: passes.encoding)
            return noErr
        }
    }

    /// Ends the session and discards the frames that are not encoded yet. No callback runs after this call has
    /// returned, except a callback that makes this call.
    func invalidate() {
        work.sync {
            isInvalid = true
            encoder.discard()
            passes = CompressionPasses()
        }
        callbacks.end()
        callbacks.waitForAll()
    }

    /// The pool of pixel buffers for a program's frames; nil if the session is invalid.
    var pixelBufferPool: CVPixelBufferPool? { work.sync { isInvalid ? nil : pool } }

    // MARK: Passes

    func beginPass(isFinal: Bool) -> OSStatus {
        run { () throws(MediaError) -> OSStatus in
            guard setup.hasPasses, !passes.isRunning else { return kVTParameterErr }
            try encoder.finish(output: deliver)
            encoder.forgetTimes()
            hasEndedPass = false
            return passes.begin(isFinal: isFinal)
        }
    }

    /// Ends a pass. Returns its status, and whether another pass is useful.
    func endPass() -> (status: OSStatus, wantsAnother: Bool) {
        var wantsAnother = false
        let result = run { () throws(MediaError) -> OSStatus in
            hasEndedPass = false
            do throws(MediaError) {
                try encoder.finish(output: deliver)
            } catch {
                _ = passes.end(isComplete: false)
                throw error
            }
            let status = passes.end(isComplete: true)
            wantsAnother = passes.wantsAnother
            return status
        }
        callbacks.waitForAll()
        return (result, wantsAnother)
    }

    /// The times for the next pass, in memory that is valid while the session exists; nil if no other pass is useful.
    var nextPassRange: UnsafePointer<CMTimeRange>? {
        work.sync {
            guard passes.wantsAnother, let times = passes.range else { return nil }
            range.pointee = times
            return UnsafePointer(range)
        }
    }

    /// Runs a closure on the queue `work`. If the session is invalid, only returns an error.
    private func run(_ body: () throws(MediaError) -> OSStatus) -> OSStatus {
        work.sync { () -> OSStatus in
            guard !isInvalid else { return kVTInvalidSessionErr }
            do throws(MediaError) { return try body() } catch { return VTStatus.encoding(error) }
        }
    }
}

extension VTCompressionSession: PropertySession {
    func setProperty(_ key: String, _ value: Any?) -> OSStatus {
        work.sync {
            guard !isInvalid else { return kVTInvalidSessionErr }
            // Both passes need the same settings.
            guard !passes.isRunning, !passes.wantsAnother else { return kVTParameterErr }
            if key == kVTCompressionPropertyKey_MultiPassStorage, properties.encoder.reorders {
                let storage = value as? VTMultiPassStorage
                guard value == nil || storage != nil else { return kVTParameterErr }
                passes.storage = storage
                return noErr
            }
            let status = properties.set(value, for: key)
            if status == noErr, let changed = try? properties.setup() { setup = changed }
            return status
        }
    }

    func property(_ key: String) -> (value: Any?, status: OSStatus) {
        work.sync {
            guard !isInvalid else { return (nil, kVTInvalidSessionErr) }
            switch key {
            case kVTCompressionPropertyKey_EncoderID: return (properties.encoder.id, noErr)
            case kVTCompressionPropertyKey_NumberOfPendingFrames: return (NSNumber(value: encoder.heldCount), noErr)
            case kVTCompressionPropertyKey_PixelBufferPoolIsShared: return (NSNumber(value: false), noErr)
            case kVTCompressionPropertyKey_VideoEncoderPixelBufferAttributes:
                return (pool.map { $0.attributes as NSDictionary }, noErr)
            case kVTCompressionPropertyKey_MultiPassStorage where properties.encoder.reorders:
                return (passes.storage, noErr)
            default:
                guard properties.supported[key] != nil else { return (nil, kVTPropertyNotSupportedErr) }
                return (properties[key], noErr)
            }
        }
    }

    var supportedProperties: [String: PropertyAccess] {
        work.sync {
            var keys = properties.supported
            if properties.encoder.reorders { keys[kVTCompressionPropertyKey_MultiPassStorage] = .readWrite }
            return keys
        }
    }
}
