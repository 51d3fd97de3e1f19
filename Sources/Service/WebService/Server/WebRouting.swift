import HTTPTypes
package import RecorderControl
package import RecorderStorage

/// The parts of the page's server, and the routes to each of them.
package struct WebRouting: Sendable {
    let watch: RecorderWatch
    let ends: RecorderEnds
    let visitors: Visitors
    let recordings: RecordingIndex
    let removal: OwnerRemoval
    let clips: Clips
    let page: PageFiles
    /// The requests for metrics; nil if the server does not serve metrics.
    let metrics: MetricsOperations?

    package init(
        watch: RecorderWatch, ends: RecorderEnds, visitors: Visitors, recordings: RecordingIndex, removal: OwnerRemoval,
        clips: Clips, page: PageFiles, metrics: MetricsOperations? = nil
    ) {
        self.watch = watch
        self.ends = ends
        self.recordings = recordings
        self.removal = removal
        self.clips = clips
        self.visitors = visitors
        self.page = page
        self.metrics = metrics
    }

    /// Returns the routes.
    ///
    /// - Parameters:
    ///   - isSecure: True if the server uses TLS itself.
    ///   - trustsProxy: True if a proxy before the server reports whether the client used TLS.
    func table(isSecure: Bool, trustsProxy: Bool, bodyLimit: Int) -> WebRoutes {
        let session = SessionOperations(visitors: visitors)
        let watching = WatchOperations(watch: watch)
        let steering = SteerOperations(watch: watch, ends: ends)
        let sending = FileSending()
        let recorded = RecordingOperations(recordings, removal: removal, sending: sending)
        let clipOperations = ClipOperations(clips: clips, sending: sending)
        var routes: [RequestRoutes<WebRoutes.Operation>.Route] = [
            .init(.get, "/open", .anybody, session.open),
            .init(.get, "/api/session", .anybody, session.session),
            .init(.post, "/api/login", .anybody, session.login),
            .init(.post, "/api/logout", .anybody, session.logout),
            .init(.get, "/api/recorders", .viewer, watching.recorders),
            .init(.get, "/api/watch", .viewer, watching.watch),
            .init(.post, "/api/watch/{view}", .viewer, watching.choose),
            .init(.get, "/api/recorders/{name}/snapshot", .viewer, watching.snapshot),
            .init(.post, "/api/recorders/{name}/acknowledge", .operator, steering.acknowledge),
            .init(.post, "/api/recorders/{name}/{action}", .operator, steering.steer),
            .init(.get, "/api/recordings", .viewer, recorded.list),
            .init(.get, "/api/recordings/{id}", .viewer, recorded.recording),
            .init(.delete, "/api/recordings/{id}", .operator, recorded.delete),
            .init(.post, "/api/recordings/{id}/keep", .operator, recorded.keep),
            .init(.post, "/api/recordings/{id}/unkeep", .operator, recorded.unkeep),
            .init(.get, "/api/recordings/{id}/file", .viewer, recorded.file),
            .init(.get, "/api/recordings/{id}/still", .viewer, recorded.still),
            .init(.get, "/api/timeline", .viewer, TimelineOperations(recordings, pins: removal.pins).timeline),
            .init(.post, "/api/cuts", .viewer, clipOperations.begin),
            .init(.get, "/api/cuts/{id}", .viewer, clipOperations.state),
            .init(.delete, "/api/cuts/{id}", .viewer, clipOperations.drop),
            .init(.get, "/api/cuts/{id}/file", .viewer, clipOperations.file),
        ]
        if let metrics { routes.append(.init(.get, "/metrics", .anybody, metrics.metrics)) }
        return WebRoutes(
            routes: RequestRoutes(routes), page: page, visitors: visitors, isSecure: isSecure, trustsProxy: trustsProxy,
            bodyLimit: bodyLimit)
    }
}
