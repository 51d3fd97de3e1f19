public import MediaTypes

/// The forms for threads that are no tasks.
///
/// Each blocks the calling thread while the file's header is read, or the whole file where a precise duration is asked for and
/// the header has none; once that is known it returns at once. It never waits for a thread of Swift's pool, and what it waits
/// for calls no code of the program's, so any thread may call, the main thread too.
extension Asset {
    /// As `load`.
    ///
    /// - Throws: as `load`; `cancelled` after `cancelLoading` from another thread.
    @available(*, noasync, message: "use load")
    public func loadNow<Value>(_ property: AssetProperty<Value>) throws(MediaError) -> Value {
        try loadBlocking(property)
    }

    @available(*, noasync, message: "use tracks(withMediaType:)")
    public func tracksNow(withMediaType type: MediaType) throws(MediaError) -> [AssetTrack] {
        try loadBlocking(.tracks).filter { $0.mediaType == type }
    }

    @available(*, noasync, message: "use tracks(withMediaCharacteristic:)")
    public func tracksNow(
        withMediaCharacteristic characteristic: MediaCharacteristic
    ) throws(MediaError) -> [AssetTrack] {
        try loadBlocking(.tracks).filter { $0.hasMediaCharacteristic(characteristic) }
    }

    /// - Parameter isCancelled: asked now and then, on the calling thread.
    func loadBlocking<Value>(
        _ property: AssetProperty<Value>, isCancelled: () -> Bool = { false }
    ) throws(MediaError) -> Value {
        let generation = begin(property.key)
        let result = queue.sync {
            facts(property.key, isMeasured: property.isMeasured) { isCancelled() || self.isCancelled(generation) }
        }
        return property.read(try result.get())
    }
}
