extension AVAssetReader {
    /// As `startReading`.
    ///
    /// - Throws: why it cannot, as `error` has it.
    public func start() throws {
        guard startReading() else { throw error ?? AVError(.unknown) }
    }
}
