extension AVAssetWriter {
    /// The same as `startWriting`.
    ///
    /// - Throws: the reason for a failure, the same as `error`.
    public func start() throws {
        guard startWriting() else { throw error ?? AVError(.unknown) }
    }
}
