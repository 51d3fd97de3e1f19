import MediaTypes

/// Members that exist only on Linux.
extension AVCaptureFileOutput {
    /// Returns the account of a connection's samples in the recording in progress. If there is none, returns the
    /// account of the last recording; nil before the first one. Samples that are counted as delivered are in the file.
    public func ledger(for connection: AVCaptureConnection) -> AVCaptureLedger? {
        let isVideo = connection.mediaType == .video
        let (recording, finished) = state.withLock { ($0.current?.recording, $0.finished) }
        let own = recording.map { $0.ledger(isVideo ? .video : .audio) } ?? (isVideo ? finished.video : finished.audio)
        return own.map { AVCaptureLedger($0) }
    }
}

extension AVCaptureLedger {
    /// Creates the account of a recording from the ledger of its writer's input.
    init(_ ledger: Ledger) {
        self.init()
        captured = ledger.captured
        delivered = ledger.written
        full = ledger[dropped: .queue] + ledger[dropped: .encoder] + ledger[dropped: .disk]
        lost = ledger[dropped: .device]
        failed = ledger[dropped: .corrupt]
    }
}
