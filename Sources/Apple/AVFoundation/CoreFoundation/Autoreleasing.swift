/// Runs the closure and returns its result.
///
/// Nothing is autoreleased on Linux: an object is released with its last reference, so no pool needs to be drained.
public func autoreleasepool<Failure: Error, Result: ~Copyable>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}
