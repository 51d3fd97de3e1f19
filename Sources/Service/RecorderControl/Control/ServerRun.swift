package import Logging
package import ServiceLifecycle

/// A server that runs until it is closed.
package struct ServerRun: Sendable {
    private let services: ServiceGroup
    private let running: Task<Void, any Error>

    /// Starts a server.
    ///
    /// - Parameter failed: Called if the server cannot listen, or fails later.
    package init(
        _ server: any ServiceLifecycle.Service, log: Logger, failed: @escaping @Sendable (any Error) -> Void
    ) {
        let services = ServiceGroup(configuration: .init(services: [server], logger: log))
        self.services = services
        running = Task {
            do { try await services.run() } catch {
                failed(error)
                throw error
            }
        }
    }

    /// Lets current answers finish, for at most a second.
    package func close() async {
        let running = running
        await services.triggerGracefulShutdown()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await running.result }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            running.cancel()
            group.cancelAll()
        }
    }
}
