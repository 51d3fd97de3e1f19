public import Foundation

/// The levels of one channel of audio, in the block that was the last one when the connection was asked.
open class AVCaptureAudioChannel: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    private let level: AudioLevel

    init(_ level: AudioLevel) {
        self.level = level
        super.init()
    }

    /// The effective value in decibels; 0 is full scale.
    open var averagePowerLevel: Float { level.average }
    /// The highest value of the block in decibels.
    open var peakHoldLevel: Float { level.peak }
}
