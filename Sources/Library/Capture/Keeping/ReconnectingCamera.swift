package import MediaTypes
import RealTime

/// Opens one camera as often as needed, and always the same one.
///
/// The first opening uses the requested name and mode. From then on:
/// - A stable name (a link in `/dev/v4l`, a port, the camera's own name) means the camera that has the name at that
///   time. If two have it, the previous camera is used.
/// - A camera that was requested by its node, or as the first one, must be the same camera at the same port
///   (`CameraIdentity`). Its node number may have changed. Another camera that now has the old node is not used.
/// - The camera runs in its previous mode if it still can, else in the requested mode, else in any mode that it
///   supports. A camera that records the signal at its input follows that signal instead of its previous mode.
package final class ReconnectingCamera: Sendable {
    private struct Known: Sendable {
        var identity: CameraIdentity
        var mode: CameraMode
        var followsSignal: Bool
        /// The name that the camera was requested by, if that name is stable.
        var stableName: String?
    }

    /// The requested name; nil means the first camera.
    private let name: String?
    private let request: CameraRequest
    /// The values to set at each opening.
    private let controls: @Sendable () -> [(name: String, value: Int64)]
    private let isPassthrough: Bool
    private let known = Locked<Known?>(nil)

    /// Creates an opener.
    ///
    /// - Parameters:
    ///   - controls: Returns the values of the controls to set; called at each opening.
    ///   - isPassthrough: true if frames must arrive compressed.
    package init(
        _ name: String?, request: CameraRequest,
        controls: @escaping @Sendable () -> [(name: String, value: Int64)], isPassthrough: Bool
    ) {
        self.name = name
        self.request = request
        self.controls = controls
        self.isPassthrough = isPassthrough
    }

    package func open() throws(MediaError) -> any CaptureSource {
        let before = known.withLock { $0 }
        let camera: V4L2Camera
        if let before {
            camera = try openAgain(before)
        } else {
            camera = try V4L2Camera(device: firstDevice(), request: request, controls: controls())
        }
        // A link can be resolved only while it exists.
        let stableName = before == nil ? name.flatMap { CameraDiscovery.isStable($0) ? $0 : nil } : before?.stableName
        known.withLock {
            $0 = Known(
                identity: camera.identity, mode: camera.mode, followsSignal: camera.followsSignal,
                stableName: stableName)
        }
        return camera
    }

    private func firstDevice() throws(MediaError) -> String {
        if let name { return name }
        guard let first = CameraDiscovery.first() else {
            throw MediaError(
                .notFound, "cannot find a camera", reason: "none is connected",
                wayOut: "connect one, use --camera test, or record only audio with --camera none")
        }
        return first.path
    }

    private func openAgain(_ known: Known) throws(MediaError) -> V4L2Camera {
        let device = try path(of: known)
        let asBefore = request.asBefore(known.mode, followsSignal: known.followsSignal)
        let formats: [CameraPixelFormat?] = isPassthrough ? [.h264, .mjpeg, .hevc] : [nil]
        let asItCan = formats.map { format in
            var open = CameraRequest(pixelFormat: format)
            open.input = request.input
            return open
        }
        let requests = [asBefore, request] + asItCan
        return try openFirstSuitable(requests) { request throws(MediaError) in
            do throws(MediaError) {
                return try V4L2Camera(device: device, request: request, controls: controls())
            } catch {
                // An open camera with other control values is better than none.
                guard error.code == .invalidSettings else { throw error }
                return try V4L2Camera(device: device, request: request)
            }
        }
    }

    private func path(of known: Known) throws(MediaError) -> String {
        let identity = known.identity
        if let link = known.stableName, link.hasPrefix("/") { return link }
        if let path = CameraDiscovery.path(of: identity) { return path }
        if let name = known.stableName { return try CameraDiscovery.path(of: name) }
        throw MediaError(
            .notFound, "cannot find \(identity.card) again", reason: "no such camera at \(identity.bus)",
            wayOut: "plug it into the same port, or use its path in /dev/v4l/by-id")
    }
}
