/// Something in a container that libavformat leaves out without a word.
struct ContainerFault {
    var position: Int64
    var reason: String
    /// What the page at that place holds is not to be used.
    var isInPage = false
}

/// Follows a container as far as its packets are read, beside libavformat. One thread at a time uses it.
protocol ContainerWatch {
    /// Reading goes on elsewhere.
    mutating func jump()

    /// The first fault of these streams from where the last call ended up to what begins at `position`; nil: to the end.
    mutating func fault(upTo position: Int64?, of streams: Set<Int>) -> ContainerFault?
}
