public import MediaTypes

/// Variants for threads that are not tasks.
extension FrameGenerator {
    /// Variant of `image(at:)` that blocks the calling thread until the image is made, after earlier requests.
    ///
    /// It waits neither for a thread of Swift's pool nor for the program's code. Any thread may call it, even from a
    /// callback of `generateImages`.
    ///
    /// - Throws: the errors of `image(at:)`.
    @available(*, noasync, message: "use image(at:)")
    public func imageNow(at time: MediaTime) throws(MediaError) -> (image: PixelBuffer, actualTime: MediaTime) {
        let (settings, generation) = terms
        return try imageBlocking(at: time, settings, generation)
    }

    /// Variant of `images(for:)` with a callback. Returns immediately.
    ///
    /// - Parameter completionHandler: called exactly once for every time, in the order of the times, on one of the
    ///   generator's threads. Calls never overlap, and this function itself never calls the handler. The next image is
    ///   made after the handler has returned, so that only one image is in memory. The calls for a second
    ///   `generateImages` come after those for the first. The generator lives until the last call.
    public func generateImages(
        for times: [MediaTime], completionHandler: @escaping @Sendable (Generated) -> Void
    ) {
        let (settings, generation) = terms
        callbacks.async { [self] in
            for time in times {
                let result = Result { () throws(MediaError) in
                    try self.imageBlocking(at: time, settings, generation)
                }
                completionHandler(Generated(time, result))
            }
        }
    }
}
