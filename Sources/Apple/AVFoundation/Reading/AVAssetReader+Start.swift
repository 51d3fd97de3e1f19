extension AVAssetReader {
    /// The same as `startReading`.
    ///
    /// - Throws: the reason for a failure, the same as `error`.
    public func start() throws {
        guard startReading() else { throw error ?? AVError(.unknown) }
    }
}
