public import Foundation
import MediaTypes

/// A time that is given as a host time, as a sample's index at a sample rate, or as both. Immutable.
open class AVAudioTime: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    public let audioTimeStamp: AudioTimeStamp
    public let sampleRate: Double

    private init(_ stamp: AudioTimeStamp, _ rate: Double) {
        audioTimeStamp = stamp
        sampleRate = rate
        super.init()
    }

    public convenience init(audioTimeStamp: UnsafePointer<AudioTimeStamp>, sampleRate: Double) {
        self.init(audioTimeStamp.pointee, sampleRate)
    }

    public convenience init(hostTime: UInt64) {
        var stamp = AudioTimeStamp()
        (stamp.mHostTime, stamp.mFlags) = (hostTime, .hostTimeValid)
        self.init(stamp, 0)
    }

    public convenience init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        var stamp = AudioTimeStamp()
        (stamp.mSampleTime, stamp.mFlags) = (Double(sampleTime), .sampleTimeValid)
        self.init(stamp, sampleRate)
    }

    public convenience init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        var stamp = AudioTimeStamp()
        (stamp.mHostTime, stamp.mSampleTime) = (hostTime, Double(sampleTime))
        stamp.mFlags = .sampleHostTimeValid
        self.init(stamp, sampleRate)
    }

    /// Converts seconds to host time. A tick is a nanosecond.
    open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        UInt64(clamping: (seconds * 1e9).rounded())
    }
    open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval { Double(hostTime) / 1e9 }

    open var isHostTimeValid: Bool { audioTimeStamp.mFlags.contains(.hostTimeValid) }
    open var hostTime: UInt64 { audioTimeStamp.mHostTime }
    open var isSampleTimeValid: Bool { audioTimeStamp.mFlags.contains(.sampleTimeValid) }
    open var sampleTime: AVAudioFramePosition { AVAudioFramePosition(clamping: audioTimeStamp.mSampleTime.rounded()) }

    /// Returns this time with both its host time and its sample time. If one is missing, it is computed from the
    /// distance to an anchor that has both.
    ///
    /// - Returns: nil if the anchor lacks a host time, a sample time or a sample rate, or if this time has neither
    ///   time.
    open func extrapolateTime(fromAnchor anchorTime: AVAudioTime) -> AVAudioTime? {
        guard anchorTime.isHostTimeValid, anchorTime.isSampleTimeValid, anchorTime.sampleRate > 0 else { return nil }
        if isHostTimeValid, isSampleTimeValid { return self }
        let rate = anchorTime.sampleRate
        if isHostTimeValid {
            let distance = Double(hostTime) - Double(anchorTime.hostTime)
            let sample = anchorTime.audioTimeStamp.mSampleTime + distance / 1e9 * rate
            return AVAudioTime(
                hostTime: hostTime, sampleTime: AVAudioFramePosition(clamping: sample.rounded()), atRate: rate)
        }
        guard isSampleTimeValid, sampleRate > 0 else { return nil }
        let own = audioTimeStamp.mSampleTime / sampleRate
        let distance = own - anchorTime.audioTimeStamp.mSampleTime / rate
        let host = Double(anchorTime.hostTime) + distance * 1e9
        return AVAudioTime(hostTime: UInt64(clamping: host.rounded()), sampleTime: sampleTime, atRate: sampleRate)
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioTime else { return false }
        return audioTimeStamp == other.audioTimeStamp && sampleRate == other.sampleRate
    }
    override open var hash: Int { audioTimeStamp.hashValue }
}
