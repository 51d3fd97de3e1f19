/// What Linux has beyond Apple's part.
extension AVCaptureVideoDataOutput {
    /// What became of every frame since the delegate was set first.
    public var ledger: AVCaptureLedger { delivery.ledger }
}

extension AVCaptureAudioDataOutput {
    /// What became of all audio since the delegate was set first, in audio frames.
    public var ledger: AVCaptureLedger { delivery.ledger }
}
