import FileSystem
import Foundation
import Hummingbird
package import Logging
package import MediaTypes
import NIOCore
import RealTime
package import RecorderStorage

/// An HTTP interface of one capture process, on a Unix socket. Only the owner and the members of a control group can
/// open the socket.
///
/// `docs/reference/openapi.yaml` describes both interfaces. Clients can use only a limited amount of memory, and the
/// time of one event loop. They cannot affect the recording.
package final class ControlServer: Sendable {
    /// The purpose of a socket.
    package enum Purpose: Sendable {
        /// `NAME.sock`: all rights of the owner.
        case control
        /// `NAME.live`: read-only.
        case live
    }

    private let run: ServerRun
    private let path: String
    private let isClosing: Locked<Bool>

    /// Begins to listen; the socket exists when this returns. The caller holds the name's lock. Therefore an existing
    /// socket was left by a dead process, and this call replaces it.
    ///
    /// - Parameter owners: A group whose members may connect too. The caller has already allowed them to enter the
    ///   directory.
    package convenience init(
        _ control: any RecordingControl, _ name: RecordingName, in directory: RuntimeDirectory,
        for purpose: Purpose = .control, group owners: UserGroup? = nil, limits: ControlLimits = ControlLimits(),
        log: Logger
    ) async throws(MediaError) {
        try await self.init(
            control, name, in: directory, for: purpose, group: owners, limits: limits, admission: nil, log: log)
    }

    /// Begins to listen.
    ///
    /// - Parameter admission: Decides who may connect; nil admits the owner and the group.
    init(
        _ control: any RecordingControl, _ name: RecordingName, in directory: RuntimeDirectory,
        for purpose: Purpose = .control, group owners: UserGroup? = nil, limits: ControlLimits = ControlLimits(),
        admission: ControlAdmission?, log: Logger
    ) async throws(MediaError) {
        let path = purpose == .control ? directory.socket(name) : directory.liveSocket(name)
        guard PathText.bytes(path).count <= SocketAddress.longestPath else {
            throw MediaError(
                .invalidSettings, "cannot listen on \(path)", reason: "the path is too long for a socket",
                wayOut: "give the recording a shorter name, or set XDG_RUNTIME_DIR to a shorter path")
        }
        let isClosing = Locked(false)
        let operations = ControlOperations(control, limits: limits) { isClosing.withLock { $0 } }
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
            onServerRunning: { _ in
                do throws(MediaError) {
                    try UserGroup.open(path, to: owners)
                    isListening.set(nil)
                } catch {
                    isListening.set(error)
                }
            },
            eventLoopGroupProvider: .shared(ControlLoop.group), logger: quiet)
        run = ServerRun(application, log: quiet) { error in
            isListening.set(MediaError(.cannotCreate, "cannot listen on \(path)", reason: "\(error)"))
        }
        self.path = path
        self.isClosing = isClosing
        if let error = await isListening.value() {
            await close()
            throw error
        }
    }

    /// Lets current answers finish, for at most a second, and removes the socket.
    package func close() async {
        isClosing.withLock { $0 = true }
        await run.close()
        unlink(path)
    }
}

/// The context of a request: its connection.
private struct ControlContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
