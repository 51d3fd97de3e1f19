public import MediaTypes

/// Variants for threads that are not tasks.
///
/// Each function blocks the calling thread while the file's header is read. If a precise duration is requested and the
/// header has none, the entire file is read. If the property is loaded already, the function returns immediately. None
/// of the functions waits for a thread of Swift's pool or for code of the program. Any thread may call, including the
/// main thread.
extension Asset {
    /// Variant of `load`.
    ///
    /// - Throws: the errors of `load`; `cancelled` after `cancelLoading` from another thread.
    @available(*, noasync, message: "use load")
    public func loadNow<Value>(_ property: AssetProperty<Value>) throws(MediaError) -> Value {
        try loadNow(property) { false }
    }

    @available(*, noasync, message: "use tracks(withMediaType:)")
    public func tracksNow(withMediaType type: MediaType) throws(MediaError) -> [AssetTrack] {
        try loadNow(.tracks).filter { $0.mediaType == type }
    }

    @available(*, noasync, message: "use tracks(withMediaCharacteristic:)")
    public func tracksNow(
        withMediaCharacteristic characteristic: MediaCharacteristic
    ) throws(MediaError) -> [AssetTrack] {
        try loadNow(.tracks).filter { $0.hasMediaCharacteristic(characteristic) }
    }

    /// - Parameter isCancelled: called repeatedly, on the calling thread.
    func loadNow<Value>(_ property: AssetProperty<Value>, isCancelled: () -> Bool) throws(MediaError) -> Value {
        let generation = begin(property.key)
        let result = queue.sync {
            facts(property.key, isMeasured: property.isMeasured) { isCancelled() || self.isCancelled(generation) }
        }
        return property.read(try result.get())
    }
}
