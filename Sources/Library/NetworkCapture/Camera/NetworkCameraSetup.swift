package import RTSP

/// The settings of a network camera.
package struct NetworkCameraSetup: Sendable {
    package var url: RTSPURL
    /// Returns the user and the password; nil for a camera that needs none. Called at each opening.
    package var credentials: NetworkCamera.CredentialSource
    /// Returns the only certificates to trust in a TLS connection, as PEM; nil for those that the system trusts. Called
    /// at each connection, on the camera's thread.
    package var certificate: NetworkCamera.CertificateSource = { nil }
    package var transport = SessionOptions.Transport.tcp
    /// True if the camera's audio is received too.
    package var wantsAudio = false
    /// True if audio in Opus is delivered in packets, as the camera sends it. Otherwise it is decoded.
    package var keepsOpus = false
    /// The account of the camera's packets, which each connection continues.
    package var totals = ReceptionTotals()
    /// Accepts a text about a deviation of the camera, for the log. Called on the camera's thread, so it must not
    /// block.
    package var report: @Sendable (String) -> Void = { _ in }

    /// The time limit for a name's lookup and the connection, in nanoseconds.
    package var connectTimeout: Int64 = 10_000_000_000
    /// The time limit from PLAY to the first keyframe, in nanoseconds. Some cameras send a keyframe only every 10 s.
    package var keyframeTimeout: Int64 = 20_000_000_000
    /// The maximum wait for a datagram that is missing, in nanoseconds.
    package var reorderDelay: Int64 = 200_000_000
    /// The time without a packet of the video after which the camera counts as lost, in nanoseconds.
    package var silenceTimeout: Int64 = 10_000_000_000

    package init(
        _ url: RTSPURL, credentials: @escaping NetworkCamera.CredentialSource = { nil }
    ) {
        self.url = url
        self.credentials = credentials
    }
}
