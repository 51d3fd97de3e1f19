public import MediaTypes

/// The forms for threads that are no tasks.
extension FrameGenerator {
    /// As `image(at:)`: blocks the calling thread until the picture is there, behind those that others asked for.
    ///
    /// It never waits for a thread of Swift's pool nor for code of the program's: any thread may call, also a callback of
    /// `generateImages`.
    ///
    /// - Throws: as `image(at:)`.
    @available(*, noasync, message: "use image(at:)")
    public func imageNow(at time: MediaTime) throws(MediaError) -> (image: PixelBuffer, actualTime: MediaTime) {
        let (settings, generation) = terms
        return try imageBlocking(at: time, settings, generation)
    }

    /// As `images(for:)`, with a callback. Returns at once.
    ///
    /// - Parameter completionHandler: called exactly once for every time, in the order of the times, one call after the other
    ///   and never from within this call, on a thread of the generator's: the next picture is made when it has returned, so
    ///   memory stays that of one. The calls of a second `generateImages` come behind those of the first. The generator
    ///   lives until the last call.
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
