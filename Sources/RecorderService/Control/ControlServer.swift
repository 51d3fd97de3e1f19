import Foundation
import Hummingbird
import Logging
import MediaTypes
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The HTTP interface of one capture process, on a Unix socket that only its owner can open.
///
/// `GET /v1/status` gives the status. `POST /v1/stop` ends the recording and answers, with the last status, when the file is
/// whole.
final class ControlServer: Sendable {
    private let services: ServiceGroup
    private let running: Task<Void, any Error>
    private let group: MultiThreadedEventLoopGroup
    private let path: String

    /// Begins to listen; when this returns the socket is there. A socket that a dead process left behind is replaced: the
    /// caller holds the name's lock.
    init(process: CaptureProcess, path: String, log: Logger) async throws(MediaError) {
        guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw MediaError(
                .invalidSettings, "cannot listen on \(path)", reason: "the path is longer than a socket's may be",
                wayOut: "give the recording a shorter name, or set XDG_RUNTIME_DIR to a shorter path")
        }
        let router = Router()
        router.get("v1/status") { _, _ in Self.answer(process.status) }
        router.post("v1/stop") { _, _ in
            process.requestStop()
            return Self.answer(await process.finished().status)
        }
        var quiet = log
        quiet.logLevel = .warning
        // One thread is plenty for a few requests a second, and leaves the cores to the encoder.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let isListening = Once<MediaError?>()
        let application = Application(
            router: router,
            configuration: .init(address: .unixDomainSocket(path: path), serverName: nil),
            onServerRunning: { _ in
                isListening.set(
                    chmod(path, 0o600) == 0 ? nil : MediaError(errno: errno, "cannot close \(path) to others"))
            },
            eventLoopGroupProvider: .shared(group), logger: quiet)
        let services = ServiceGroup(configuration: .init(services: [application], logger: quiet))
        running = Task {
            do { try await services.run() } catch {
                isListening.set(MediaError(.cannotCreate, "cannot listen on \(path)", reason: "\(error)"))
                throw error
            }
        }
        self.services = services
        self.group = group
        self.path = path
        if let error = await isListening.value() { throw error }
    }

    /// Lets requests that are being answered finish, for a second at most, and removes the socket.
    func close() async {
        let services = services
        let running = running
        await services.triggerGracefulShutdown()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await running.result }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            running.cancel()
            group.cancelAll()
        }
        try? await group.shutdownGracefully()
        unlink(path)
    }

    private static func answer(_ status: RecordingStatus) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: JSONText.line(status) + "\n")))
    }
}
