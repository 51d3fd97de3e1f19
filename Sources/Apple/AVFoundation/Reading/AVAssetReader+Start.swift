extension AVAssetReader {
    /// Starts reading, like `startReading`, and throws if that fails.
    ///
    /// - Throws: the same error as `error`.
    public func start() throws {
        guard startReading() else { throw error ?? AVError(.unknown) }
    }
}
