import FileSystem
import Foundation
import Hummingbird
import Logging
import MediaTypes
import NIOCore
import NIOPosix
import RealTime
import ServiceLifecycle

/// An HTTP interface of one capture process, on a Unix socket that only its owner, and a group if one is named, can open.
///
/// `docs/openapi.yaml` describes both of them. Whatever a client sends, or does not, costs bounded memory and one event loop's time,
/// and never the recording.
final class ControlServer: Sendable {
    /// What a socket is for.
    enum Purpose: Sendable {
        /// `NAME.sock`: whatever the owner may do.
        case control
        /// `NAME.live`: looking, and nothing else.
        case live
    }

    private let services: ServiceGroup
    private let running: Task<Void, any Error>
    /// One thread is plenty for a few requests a second, and leaves the cores to the encoder. It lasts as long as the process: what
    /// the server's tasks still hand to it after the last request would find it gone.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let path: String
    private let isClosing: Locked<Bool>

    /// Begins to listen; when this returns the socket is there. A socket that a dead process left behind is replaced: the
    /// caller holds the name's lock.
    ///
    /// - Parameters:
    ///   - owners: a group whose members may connect too; the directory is open to it already.
    ///   - admission: nil: the owner's, and the group's.
    init(
        _ control: any RecordingControl, _ name: RecordingName, in directory: RuntimeDirectory,
        for purpose: Purpose = .control, group owners: ControlGroup? = nil, limits: ControlLimits = ControlLimits(),
        admission: ControlAdmission? = nil, log: Logger
    ) async throws(MediaError) {
        let path = purpose == .control ? directory.socket(name) : directory.liveSocket(name)
        guard path.utf8.count <= SocketAddress.longestPath else {
            throw MediaError(
                .invalidSettings, "cannot listen on \(path)", reason: "the path is longer than a socket's may be",
                wayOut: "give the recording a shorter name, or set XDG_RUNTIME_DIR to a shorter path")
        }
        let isClosing = Locked(false)
        let operations = ControlOperations(control, name, limits: limits) { isClosing.withLock { $0 } }
        let admission = admission ?? ControlAdmission(limits, hasMembers: owners != nil)
        let routes =
            switch purpose {
            case .control: ControlRoutes.controlling(operations, limits: limits)
            case .live: ControlRoutes.watching(operations, LiveOperations(control, limits: limits), limits: limits)
            }
        var quiet = log
        quiet.logLevel = .warning
        let isListening = Once<MediaError?>()
        let application = Application(
            responder: CallbackResponder { (request: Request, context: ControlContext) in
                await routes.answer(request, of: try? await admission.peer(of: context.channel).get())
            },
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [RequestGuard(limits, admission)],
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.headers, maxHeaderListSize: limits.headers,
                        maxHeaderFieldCount: 100))),
            configuration: .init(
                address: .unixDomainSocket(path: path), serverName: nil,
                availableConnectionsDelegate: .maximum(limits.connections, logger: quiet)),
            onServerRunning: { _ in isListening.set(Self.admit(owners, to: path)) },
            eventLoopGroupProvider: .shared(Self.group), logger: quiet)
        let services = ServiceGroup(configuration: .init(services: [application], logger: quiet))
        running = Task {
            do { try await services.run() } catch {
                isListening.set(MediaError(.cannotCreate, "cannot listen on \(path)", reason: "\(error)"))
                throw error
            }
        }
        self.services = services
        self.path = path
        self.isClosing = isClosing
        if let error = await isListening.value() {
            await close()
            throw error
        }
    }

    /// Lets requests that are being answered finish, for a second at most, and removes the socket.
    func close() async {
        isClosing.withLock { $0 = true }
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
        unlink(path)
    }

    /// Who may connect: until now the directory alone has kept others out.
    private static func admit(_ group: ControlGroup?, to path: String) -> MediaError? {
        do throws(MediaError) {
            if let group {
                try group.open(path, mode: 0o660)
            } else if chmod(path, 0o600) != 0 {
                throw MediaError(errno: errno, "cannot close \(path) to others")
            }
            return nil
        } catch {
            return error
        }
    }
}

/// What is known of a request beside itself: its connection.
private struct ControlContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
