import MediaTypes

/// Opens a device by the first request that it can meet.
///
/// - Parameter requests: the best first; at least one.
/// - Throws: what the last one came to; at once what is no matter of the request.
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
