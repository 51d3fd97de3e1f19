package import MediaTypes
import RealTime

/// Opens one camera as often as it takes, and always the same one.
///
/// The first opening takes what was asked for. From then on:
/// - A camera that was asked for by a name that stays (a link in `/dev/v4l`, its socket, its own name) is the one that has
///   the name then. Of two that have it, it is the one that was there before.
/// - One that was asked for by its node, or as the first there is, must be the same camera in the same socket, under
///   whichever number (`CameraIdentity`). If another camera has got its node, that is not it.
/// - It runs as before, if it still can; else as it was asked for; else as it can.
package final class ReturningCamera: Sendable {
    private struct Known: Sendable {
        var identity: CameraIdentity
        var mode: CameraMode
        /// What it was asked for by, where that is a name that stays.
        var stableName: String?
    }

    /// What was asked for; nil is the first camera there is.
    private let name: String?
    private let request: CameraRequest
    private let controls: [(name: String, value: Int64)]
    private let isPassthrough: Bool
    private let known = Locked<Known?>(nil)

    /// - Parameter isPassthrough: pictures must come compressed.
    package init(
        _ name: String?, request: CameraRequest, controls: [(name: String, value: Int64)], isPassthrough: Bool
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
            camera = try V4L2Camera(device: firstDevice(), request: request, controls: controls)
        }
        // A link is known for one only while it is there.
        let stableName = before == nil ? name.flatMap { CameraDiscovery.isStable($0) ? $0 : nil } : before?.stableName
        known.withLock { $0 = Known(identity: camera.identity, mode: camera.mode, stableName: stableName) }
        return camera
    }

    private func firstDevice() throws(MediaError) -> String {
        if let name { return name }
        guard let first = CameraDiscovery.first() else {
            throw MediaError(
                .notFound, "cannot find a camera", reason: "none is connected",
                wayOut: "--camera test needs none, --camera none records sound alone")
        }
        return first.path
    }

    private func openAgain(_ known: Known) throws(MediaError) -> V4L2Camera {
        let device = try path(of: known)
        let mode = known.mode
        let asBefore = CameraRequest(size: mode.size, frameRate: mode.frameRate, pixelFormat: mode.pixelFormat)
        let asItCan: [CameraPixelFormat?] = isPassthrough ? [.h264, .mjpeg] : [nil]
        let requests = [asBefore, request] + asItCan.map { CameraRequest(pixelFormat: $0) }
        return try openFirstSuitable(requests) { request throws(MediaError) in
            do throws(MediaError) {
                return try V4L2Camera(device: device, request: request, controls: controls)
            } catch {
                // Better the camera as it is than none.
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
            wayOut: "plug it in where it was, or ask for it by its name in /dev/v4l/by-id")
    }
}
