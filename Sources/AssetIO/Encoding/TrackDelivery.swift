import MediaTypes

/// What brings one track's samples from its input's door to the packet queue.
protocol TrackDelivery: AnyObject, Sendable {
    /// - Parameter failed: called when the track ends for an error, from the thread that met it.
    func start(failed: @escaping @Sendable (MediaError) -> Void) throws(MediaError)
    /// There may be something to do, or room again.
    func lookAgain()
    /// Waits until nothing more comes.
    func join()
    /// Where the last real sample ends. Only after `join`.
    var end: MediaTime? { get }
}
