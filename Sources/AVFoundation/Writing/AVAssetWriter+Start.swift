extension AVAssetWriter {
    /// As `startWriting`.
    ///
    /// - Throws: why it cannot, as `error` has it.
    public func start() throws {
        guard startWriting() else { throw error ?? AVError(.unknown) }
    }
}
