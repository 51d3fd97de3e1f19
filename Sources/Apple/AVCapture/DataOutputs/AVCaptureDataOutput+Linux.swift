/// Members that exist only on Linux.
extension AVCaptureVideoDataOutput {
    /// The account of every frame since the delegate was first set.
    public var ledger: AVCaptureLedger { delivery.ledger }
}

extension AVCaptureAudioDataOutput {
    /// The account of all audio since the delegate was first set, in audio frames.
    public var ledger: AVCaptureLedger { delivery.ledger }
}
