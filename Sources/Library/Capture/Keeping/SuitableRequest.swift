import MediaTypes

/// Opens a device with the first request that it can meet.
///
/// - Parameter requests: The requests, the best first; at least one.
/// - Throws: The error of the last request. An error that does not depend on the request is thrown at once.
func openFirstSuitable<Request, Source>(
    _ requests: [Request], _ open: (Request) throws(MediaError) -> Source
) throws(MediaError) -> Source {
    for request in requests.dropLast() {
        do throws(MediaError) { return try open(request) } catch {
            guard error.code == .deviceUnsuitable else { throw error }
        }
    }
    return try open(requests[requests.count - 1])
}
