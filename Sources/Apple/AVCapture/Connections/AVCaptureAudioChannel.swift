public import Foundation

/// The levels of one audio channel. They are measured in the latest block when `audioChannels` is read.
open class AVCaptureAudioChannel: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    private let level: AudioLevel

    init(_ level: AudioLevel) {
        self.level = level
        super.init()
    }

    /// The effective value (RMS) of the block in decibels; 0 is full scale.
    open var averagePowerLevel: Float { level.average }
    /// The highest value of the block in decibels; 0 is full scale.
    open var peakHoldLevel: Float { level.peak }
}
