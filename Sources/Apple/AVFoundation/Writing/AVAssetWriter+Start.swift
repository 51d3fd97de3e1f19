extension AVAssetWriter {
    /// Starts writing, like `startWriting`, and throws if that fails.
    ///
    /// - Throws: the same error as `error`.
    public func start() throws {
        guard startWriting() else { throw error ?? AVError(.unknown) }
    }
}
