import CommandInterface

extension RawPath {
    /// A path that somebody typed, from the root on and without a slash at its end, which would come between it and the names in it.
    ///
    /// - Parameter text: an argument of `ProcessText`.
    package init(argument text: String) {
        var path = FilePath.absolute(text)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.init(path)
    }
}
