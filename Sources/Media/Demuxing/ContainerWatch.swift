/// Damage in a container that libavformat skips without an error.
struct ContainerFault {
    var position: Int64
    var reason: String
    /// True if the contents of the page at that position must not be used.
    var isInPage = false
}

/// Checks a container up to the packets that are read from it, beside libavformat. Used by one thread at a time.
protocol ContainerWatch {
    /// Prepares for reading at another position, after a seek.
    mutating func jump()

    /// Returns the first fault of these streams, from the end of the last call to the element that begins at
    /// `position`; if nil, to the end of the file.
    mutating func fault(upTo position: Int64?, of streams: Set<Int>) -> ContainerFault?
}
