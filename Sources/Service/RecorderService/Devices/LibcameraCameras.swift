import Capture
package import LibcameraCapture
package import MediaTypes
import RecorderStorage

/// The cameras that libcamera lists. It does not list cameras that are in use by another program.
package struct LibcameraCameras: Sendable {
    package var cameras: [LibcameraDevice] = []
    /// The reason why the cameras are unknown; nil if they are known.
    package var problem: MediaError?

    package init(cameras: [LibcameraDevice] = [], problem: MediaError? = nil) {
        self.cameras = cameras
        self.problem = problem
    }

    /// Searches for cameras with the installed program. Blocks for as long as libcamera searches, but at most for 60 s.
    ///
    /// - Parameters:
    ///   - nodes: The V4L2 nodes. A camera that V4L2 lists too is left out.
    static func search(_ program: LibcameraProgram, besides nodes: CameraDiscovery.Nodes) -> LibcameraCameras {
        guard program.path != nil else {
            guard let part = nodes.parts.first else { return LibcameraCameras() }
            return LibcameraCameras(problem: notInstalled(part))
        }
        do throws(MediaError) {
            let known = Set(nodes.cameras.compactMap { CameraDiscovery.number(of: $0.path) })
            let all = try LibcameraDiscovery.cameras(program.launcher)
            return LibcameraCameras(cameras: all.filter { known.isDisjoint(with: $0.nodes) })
        } catch {
            return LibcameraCameras(problem: error)
        }
    }

    private static func notInstalled(_ node: String) -> MediaError {
        MediaError(
            .notFound, "cannot use \(node)", reason: "its camera needs libcamera",
            wayOut: "`apt install recorder-libcamera`")
    }

    /// Returns the camera with an identifier or a model.
    ///
    /// - Throws: `problem` if the cameras are unknown, or `notFound` with the names that libcamera lists.
    func camera(named name: String) throws(MediaError) -> LibcameraDevice {
        if let problem { throw problem }
        if let camera = cameras.first(where: { $0.listing.identifier == name }) { return camera }
        let same = cameras.filter { $0.listing.model == name }
        if same.count == 1 { return same[0] }
        let names = cameras.map { LibcameraName.prefix + $0.listing.identifier }.joined(separator: ", ")
        throw MediaError(
            .notFound, "cannot find \(LibcameraName.prefix + name)",
            reason: same.isEmpty ? "libcamera lists no such camera" : "\(same.count) cameras are of this model",
            wayOut: cameras.isEmpty
                ? "if another program uses the camera, libcamera hides it: end that program" : "it lists \(names)")
    }

    /// Returns the names, for `--camera`, of the cameras that a node is a part of; empty if unknown.
    func names(ofNode path: String) -> [String] {
        guard let number = CameraDiscovery.number(of: path) else { return [] }
        return cameras.filter { $0.nodes.contains(number) }.map { LibcameraName.prefix + $0.listing.identifier }
    }

    /// Adds the names of cameras to an error that reports a node as a mere part of a camera. To find the names, starts
    /// the helper and blocks until it has listed the cameras. Returns other errors unchanged.
    static func explained(_ error: MediaError, _ name: String?, helper: HelperLauncher) -> MediaError {
        guard CameraDiscovery.isPart(error), let name, let path = try? CameraDiscovery.path(of: name),
            let cameras = try? LibcameraDiscovery.cameras(helper)
        else { return error }
        let names = LibcameraCameras(cameras: cameras).names(ofNode: path)
        return names.isEmpty ? error : part(path, of: names)
    }

    /// Returns the error for a node that is only a part of cameras with these names.
    static func part(_ path: String, of names: [String]) -> MediaError {
        let choice = names.map { "--camera \"\($0)\"" }.joined(separator: " or ")
        return MediaError(
            .deviceUnsuitable, "cannot record from \(path)",
            reason: "it is only a raw sensor or a part of an image processor", wayOut: "record its camera: \(choice)")
    }
}
