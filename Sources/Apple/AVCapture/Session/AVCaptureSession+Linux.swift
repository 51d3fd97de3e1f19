/// Members that only Linux has.
extension AVCaptureSession {
    /// Tries at once to open unplugged devices again, which the session otherwise does after 0.25 to 2 seconds, and
    /// when a device appears in `/dev`.
    public func retryDevices() {
        for line in state.withLock({ $0.lines }) { line.retry() }
    }
}
