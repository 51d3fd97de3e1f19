package import MediaTypes

/// A profile of a camera: one of the streams that it sends (ONVIF Media, 5.2).
package struct FoundProfile: Sendable, Hashable {
    /// The name that the camera gave the profile, for use in requests.
    let token: String
    /// The name to show to users.
    package let name: String
    /// The codec, such as `H264`; nil if the camera does not report it.
    package let codec: String?
    package let size: FrameSize?
    package let frameRate: Double?
    /// The URL of the stream, without user and password; nil if the camera reports no valid one.
    package internal(set) var url: String?

    init(token: String, name: String, codec: String?, size: FrameSize?, frameRate: Double?) {
        (self.token, self.name, self.codec) = (token, name, codec)
        (self.size, self.frameRate) = (size, frameRate)
    }
}
