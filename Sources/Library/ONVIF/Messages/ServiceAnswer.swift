import MediaTypes
import RTSP

/// Reads the bodies of answers to `ServiceRequest`.
enum ServiceAnswer {
    /// Returns the address of the media service in an answer to `capabilities` or `services`; nil if it has none.
    static func mediaService(_ body: XMLTree) -> String? {
        if let capabilities = body["GetCapabilitiesResponse"] {
            return capabilities["Capabilities"]?.text(at: "Media", "XAddr")
        }
        let services = body["GetServicesResponse"]?.all("Service") ?? []
        return services.first { $0.text(at: "Namespace") == ServiceRequest.media }?.text(at: "XAddr")
    }

    /// Returns the profiles with a video encoder; nil if the body is not such an answer.
    static func profiles(_ body: XMLTree) -> [FoundProfile]? {
        guard let answer = body["GetProfilesResponse"] else { return nil }
        return answer.all("Profiles").compactMap { profile in
            guard let token = profile.attributes["token"], !token.isEmpty,
                let encoder = profile["VideoEncoderConfiguration"]
            else { return nil }
            return FoundProfile(
                token: token, name: profile.text(at: "Name") ?? token, codec: encoder.text(at: "Encoding"),
                size: size(encoder),
                frameRate: encoder.text(at: "RateControl", "FrameRateLimit").flatMap(rate))
        }
    }

    /// Returns the URL in an answer to `streamURL`, without user and password; nil if it has none that is valid.
    static func streamURL(_ body: XMLTree) -> String? {
        guard let text = body["GetStreamUriResponse"]?.text(at: "MediaUri", "Uri") else { return nil }
        do throws(MediaError) { return try RTSPURL.parse(text).url.description } catch { return nil }
    }

    private static func size(_ encoder: XMLTree) -> FrameSize? {
        guard let width = encoder.text(at: "Resolution", "Width").flatMap({ Int($0) }),
            let height = encoder.text(at: "Resolution", "Height").flatMap({ Int($0) }),
            (1...65_535).contains(width), (1...65_535).contains(height)
        else { return nil }
        return FrameSize(width, height)
    }

    private static func rate(_ text: String) -> Double? {
        guard let rate = Double(text), rate > 0, rate <= 1000 else { return nil }
        return rate
    }
}
