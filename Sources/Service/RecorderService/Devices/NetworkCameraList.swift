package import MediaTypes
import NetworkCapture
package import ONVIF

/// The output of `recorder devices --network`, as text and as JSON.
package struct NetworkCameraList: Encodable, Sendable {
    struct Camera: Encodable, Sendable {
        let address: String
        @OrNull var name: String?
        @OrNull var hardware: String?
        @OrNull var location: String?
        /// The URL of the camera's device service (ONVIF).
        @OrNull var device: String?
        let needsPassword: Bool
        let profiles: [Profile]
        /// The reason why the camera's streams are unknown, unless it only needs a password.
        @OrNull var problem: String?
    }

    struct Profile: Encodable, Sendable {
        let name: String
        @OrNull var codec: String?
        @OrNull var width: Int?
        @OrNull var height: Int?
        @OrNull var frameRate: Double?
        /// The value for `--camera`; null if the camera gives no valid URL.
        @OrNull var url: String?
    }

    let networkCameras: [Camera]

    /// Searches the network. Blocks for some seconds.
    ///
    /// - Throws: An error if no packet can be sent.
    package static func search() throws(MediaError) -> NetworkCameraList {
        NetworkCameraList(try NetworkCameraSearch().run())
    }

    package init(_ cameras: [FoundNetworkCamera]) { networkCameras = cameras.map(Camera.init) }
}

extension NetworkCameraList.Camera {
    init(_ camera: FoundNetworkCamera) {
        self.init(
            address: camera.address, name: camera.scopes.name, hardware: camera.scopes.hardware,
            location: camera.scopes.location, device: camera.device?.description,
            needsPassword: camera.needsPassword,
            profiles: camera.profiles.map { profile in
                NetworkCameraList.Profile(
                    name: profile.name, codec: profile.codec, width: profile.size?.width,
                    height: profile.size?.height, frameRate: profile.frameRate, url: profile.url)
            }, problem: camera.problem?.description)
    }
}
