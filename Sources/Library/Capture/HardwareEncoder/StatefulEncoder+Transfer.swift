import Glibc
import MediaTypes

/// The changes between copied and imported frames.
extension StatefulEncoder {
    /// Changes the transfer if the next frame needs it. First, the packets of all frames that the encoder holds are
    /// returned.
    ///
    /// - Returns: True if the encoder was stopped, so that the next frame becomes a keyframe.
    func changeTransfer(
        for pixels: PixelBuffer, isKeyframe: Bool, _ output: Sink
    ) throws(EncoderFailure) -> Bool {
        let mode = transfer.next(
            isImportable: queues.canImport(pixels), mayImport: isKeyframe || state.phase == .stopped)
        guard mode != transfer.mode else { return false }
        try empty(output)
        guard mode == .imported else {
            copyFrames(because: .otherMemory)
            return true
        }
        if let obstacle = queues.beginImporting(pixels) {
            copyFrames(because: obstacle)
        } else {
            transfer.recordImporting()
            needsSetup = false
        }
        return true
    }

    /// Starts again with copied frames, after the driver refused to queue an imported one. First, the packets of all
    /// frames that the encoder holds are returned.
    ///
    /// - Parameter code: The errno of the refusal.
    /// - Returns: False if frames are copied already, or if the device disappeared.
    func copiesAfterRefusal(_ code: Int32, _ output: Sink) throws(EncoderFailure) -> Bool {
        guard transfer.mode == .imported, code != ENODEV, code != ENXIO else { return false }
        try empty(output)
        copyFrames(because: .refusedFrame(errno: code))
        try start()
        return true
    }

    /// Returns the packets of all frames that the encoder holds, and stops it. An empty encoder might not answer a
    /// drain.
    private func empty(_ output: Sink) throws(EncoderFailure) {
        if state.heldFrames > 0 { try drain(output) }
        stop()
    }

    /// Makes the next start set the device up for copied frames.
    func copyFrames(because obstacle: FrameTransfer.Obstacle) {
        needsSetup = true
        if transfer.record(obstacle) { copyReason = obstacle.notice(of: queues.name) }
    }
}
