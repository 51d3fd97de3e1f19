/// Members that exist only on Linux.
extension AVCaptureSession {
    /// Tries immediately to open unplugged devices again. Without this call, the session tries again every 0.25 to 2
    /// seconds, and when a device appears in `/dev`.
    public func retryDevices() {
        for line in state.withLock({ $0.lines }) { line.retry() }
    }
}
