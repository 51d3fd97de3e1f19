/// Runs the closure and gives what it gives.
///
/// Nothing is autoreleased here: an object goes when its last user drops it, so that there is no pool to drain.
public func autoreleasepool<Failure: Error, Result: ~Copyable>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}
