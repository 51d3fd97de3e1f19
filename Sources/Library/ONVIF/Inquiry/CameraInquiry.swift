import MediaTypes

/// Asks one camera for its streams, without a password. A pure value: it returns the requests to send, and accepts the
/// answers.
///
/// Asks for the media service, then its profiles, then the URL of each profile. Requests go only to the host of
/// `DiscoveredDevice.service`; a media service elsewhere is not asked.
package struct CameraInquiry: Sendable {
    private enum Step: Sendable {
        case capabilities, services
        case profiles(DeviceURL)
        case streamURL(DeviceURL, index: Int)
        case over
    }

    /// The maximum number of profiles. Cameras have two to four. Network video recorders (NVRs) have one or two for each
    /// of their cameras.
    package static let mostProfiles = 32

    /// The camera, with the facts known so far.
    package private(set) var camera: FoundNetworkCamera
    private let device: DiscoveredDevice
    private var step = Step.capabilities

    package init(_ device: DiscoveredDevice) {
        self.device = device
        camera = FoundNetworkCamera(device)
    }

    /// Returns the first request; nil if the camera cannot be asked.
    package mutating func start() -> DevicePost? {
        if device.service == nil { return end(unreachable) }
        return request
    }

    /// Accepts the response to the last request. Returns the next request; nil at the end.
    package mutating func received(_ response: HTTPResponse) -> DevicePost? {
        guard response.status != 401, response.status != 403 else { return endForPassword() }
        let body: XMLTree
        do throws(XMLFailure) { body = try SOAPEnvelope.read(response.body).body } catch {
            let isHTTP = !(200..<300).contains(response.status)
            return failed(isHTTP ? "it answers with HTTP \(response.status)" : "its answer is invalid: \(error.reason)")
        }
        if let fault = SOAPFault(body) {
            if fault.needsPassword { return endForPassword() }
            return failed(fault.reason.isEmpty ? "it refuses the request" : "it answers “\(fault.reason)”")
        }
        switch step {
        case .capabilities, .services: return took(mediaService: ServiceAnswer.mediaService(body))
        case .profiles(let media):
            guard let profiles = ServiceAnswer.profiles(body) else { return failed("it sends no profiles") }
            camera.profiles = Array(profiles.prefix(Self.mostProfiles))
            return ask(media, forURLOf: 0)
        case .streamURL(let media, let index):
            if camera.profiles.indices.contains(index) {
                camera.profiles[index].url = ServiceAnswer.streamURL(body)
            }
            return ask(media, forURLOf: index + 1)
        case .over: return nil
        }
    }

    /// Accepts the failure of the last request. Returns the next request; nil at the end.
    ///
    /// - Parameter reason: The cause in words, with the camera as "it": "it answers with HTTP 404".
    package mutating func failed(_ reason: String) -> DevicePost? {
        switch step {
        // Newer cameras may support only the newer request.
        case .capabilities:
            step = .services
            return request
        case .streamURL(let media, let index): return ask(media, forURLOf: index + 1)
        case .services, .profiles: return end(problem(reason))
        case .over: return nil
        }
    }

    /// Ends the inquiry at any step, because the camera cannot be reached or the time has passed.
    package mutating func giveUp(_ reason: String, code: Int32? = nil) {
        guard case .over = step else {
            _ = end(problem(reason, code: code))
            return
        }
    }

    // MARK: Steps

    /// The request of the current step.
    private var request: DevicePost? {
        guard let service = device.service else { return nil }
        switch step {
        case .capabilities: return DevicePost(url: service, request: .capabilities)
        case .services: return DevicePost(url: service, request: .services)
        case .profiles(let media): return DevicePost(url: media, request: .profiles)
        case .streamURL(let media, let index):
            guard camera.profiles.indices.contains(index) else { return nil }
            return DevicePost(url: media, request: .streamURL(profile: camera.profiles[index].token))
        case .over: return nil
        }
    }

    private mutating func took(mediaService text: String?) -> DevicePost? {
        guard let text else { return failed("it has no media service of ONVIF") }
        guard let url = DeviceURL(text), !url.isSecure, url.host == device.service?.host else {
            return end(problem("its media service is not at \(camera.address) over HTTP"))
        }
        step = .profiles(url)
        return request
    }

    private mutating func ask(_ media: DeviceURL, forURLOf index: Int) -> DevicePost? {
        guard camera.profiles.indices.contains(index) else {
            return end(camera.profiles.isEmpty ? problem("it has no profile with video") : nil)
        }
        step = .streamURL(media, index: index)
        return request
    }

    // MARK: The end

    private mutating func end(_ problem: MediaError?) -> DevicePost? {
        step = .over
        camera.problem = problem
        return nil
    }

    private mutating func endForPassword() -> DevicePost? {
        camera.needsPassword = true
        return end(nil)
    }

    private func problem(_ reason: String, code: Int32? = nil) -> MediaError {
        MediaError(
            code == nil ? .unsupported : .notFound, "cannot ask \(camera.address) for its streams", reason: reason,
            underlying: code.map { .errno($0) }, wayOut: "the manual of the camera has the URLs of its streams")
    }

    private var unreachable: MediaError {
        let reason =
            if device.urls.isEmpty {
                "it names no address of its services"
            } else if device.urls.contains(where: { $0.isSecure && device.addresses.contains($0.host) }) {
                "its services are only available over HTTPS"
            } else {
                "its services are at another address than the one that answered"
            }
        return problem(reason)
    }
}
