/// Damage in a container that libavformat skips without an error.
struct ContainerFault {
    var position: Int64
    var reason: String
    /// True if a damaged page begins at `position`. The contents of that page must not be used.
    var isInPage = false
}

/// Checks a container for damage while libavformat reads it, up to the latest packet. Used by one thread at a time.
protocol ContainerWatch {
    /// Prepares for reading at another position, after a seek.
    mutating func jump()

    /// Returns the first fault of these streams. The check covers the bytes since the last call, up to the element that
    /// begins at `position`, or up to the end of the file if `position` is nil.
    mutating func fault(upTo position: Int64?, of streams: Set<Int>) -> ContainerFault?
}
