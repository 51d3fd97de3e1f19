import MediaTypes

/// Handles the responses of a camera, and the camera's own requests.
extension RTSPSession {
    mutating func accept(_ response: RTSPResponse, at now: Int64) -> [SessionAction] {
        guard let pending else { return [] }
        // Ignores the response to an earlier request that is no longer pending. Some cameras send no number.
        if let number = response.headers["CSeq"].flatMap({ Int($0) }), number < pending.number { return [] }
        self.pending = nil
        switch response.status {
        case 100..<200:
            self.pending = pending
            return []
        case 401: return challenged(response, pending, at: now)
        case 301, 302, 303, 305, 307:
            if case .tearDown(let purpose) = step { return afterTearDown(purpose) }
            return redirect(to: response.headers["Location"])
        default: break
        }
        switch step {
        case .options: return described(afterOptions: response, at: now)
        case .describe: return described(response, at: now)
        case .setUp: return setUp(response, at: now)
        case .play: return played(response, at: now)
        case .playing: return keptAlive(response)
        case .tearDown(let purpose): return afterTearDown(purpose)
        case .new, .connecting, .ended: return []
        }
    }

    /// Answers a challenge once, and once more only if the nonce was stale. Many cameras lock an account after several
    /// wrong attempts. A camera that refuses an answer may send no further challenge.
    private mutating func challenged(_ response: RTSPResponse, _ refused: Pending, at now: Int64) -> [SessionAction] {
        if case .tearDown(let purpose) = step { return afterTearDown(purpose) }
        let hadAnswer = authenticator.hasAnswer
        switch authenticator.accept(response.headers.all("WWW-Authenticate")) {
        case .needsCredentials:
            return fail(
                MediaError(
                    .notPermitted, action, reason: "it requires a user and a password",
                    wayOut: "write them into a file, as USER:PASSWORD, and set camera-credentials to it"))
        case .unsupported where hadAnswer: return fail(refusalOfCredentials)
        case .unsupported(let schemes):
            return fail(
                MediaError(
                    .unsupported, action,
                    reason: "it offers no supported way to log in (\(schemes.joined(separator: ", ").prefix(80)))",
                    wayOut: "set the camera's RTSP authentication to Digest"))
        case .answerable:
            guard refused.repeats == 0 || (refused.repeats == 1 && authenticator.isStale) else {
                return fail(refusalOfCredentials)
            }
            return [request(refused.method, refused.target, refused.extra, repeats: refused.repeats + 1, at: now)]
        }
    }

    /// Continues at another URL. Another host gets no credentials. If the present URL requires TLS, the new one must
    /// too.
    mutating func redirect(to location: String?) -> [SessionAction] {
        redirects += 1
        guard redirects <= options.mostRedirects else { return fail(lost("it redirects without end")) }
        guard let location, let (target, _) = try? RTSPURL.parse(location) else {
            return fail(lost("it redirects to an invalid URL"))
        }
        guard target.isSecure || !url.isSecure else {
            return fail(
                MediaError(
                    .notPermitted, action, reason: "it redirects to rtsp://, where others could read the password",
                    wayOut: "switch this redirect off in the camera, or write rtsp:// if TLS is not needed"))
        }
        guard !target.isSecure || options.transport != .datagrams else { return fail(refusalOfDatagrams) }
        if !target.host.isSame(as: url.host) { authenticator = Authenticator(nil, random: random) }
        url = target
        if target.isSecure { usesDatagrams = false }
        control = nil
        return reconnect()
    }

    private mutating func described(afterOptions response: RTSPResponse, at now: Int64) -> [SessionAction] {
        // A camera that does not support OPTIONS may support everything else.
        let names = (response.headers["Public"] ?? "").split(separator: ",").map { $0.withoutSpaces.uppercased() }
        methods = response.isSuccess ? Set(names) : []
        usesGetParameter = methods.contains("GET_PARAMETER")
        step = .describe
        return [request("DESCRIBE", url.description, [("Accept", "application/sdp")], at: now)]
    }

    private mutating func described(_ response: RTSPResponse, at now: Int64) -> [SessionAction] {
        guard response.isSuccess else { return fail(error(response, "DESCRIBE")) }
        if let type = response.headers["Content-Type"], !type.lowercased().hasPrefix("application/sdp") {
            return fail(lost("it describes its streams as \(type.prefix(40)), not as SDP", code: .unsupported))
        }
        let description = SessionDescription(response.body)
        control = ControlURL(
            request: url, contentBase: response.headers["Content-Base"],
            contentLocation: response.headers["Content-Location"])
        sessionControl = description.control
        let selection = StreamSelection(description, options)
        waiting = selection.streams
        var actions: [SessionAction] = [.event(.described(description))]
        actions += selection.notices.map { .event(.notice($0)) }
        guard waiting.contains(where: { $0.medium.kind == needed }) else {
            let reason = (selection.notices + description.complaints).joined(separator: "; ").prefix(Self.mostReason)
            return actions + fail(lost(String(reason), code: .unsupported))
        }
        return actions + setUpNext(at: now)
    }

    private mutating func keptAlive(_ response: RTSPResponse) -> [SessionAction] {
        if response.status == 454 { return fail(error(response, "the keep-alive")) }
        // The method is not supported, whatever OPTIONS said.
        if !response.isSuccess { usesGetParameter = false }
        return []
    }

    /// Answers a request of the camera.
    mutating func answer(_ request: RTSPRequest, at now: Int64) -> [SessionAction] {
        func reply(_ status: Int, _ reason: String) -> SessionAction {
            var headers = RTSPHeaders()
            if let number = request.headers["CSeq"] { headers.add("CSeq", number) }
            return .send(RTSPResponse(status, reason, headers: headers).bytes)
        }
        switch request.method {
        case "OPTIONS", "GET_PARAMETER", "SET_PARAMETER", "ANNOUNCE", "PLAY_NOTIFY": return [reply(200, "OK")]
        case "REDIRECT": return [reply(200, "OK")] + redirect(to: request.headers["Location"])
        case "TEARDOWN":
            identifier = nil
            return [reply(200, "OK")] + fail(lost("it ended the session"))
        default: return [reply(501, "Not Implemented")]
        }
    }

    // MARK: Errors

    /// The maximum number of characters of a reason that contains texts of the camera.
    private static let mostReason = 500

    var action: String { "cannot receive \(url.label)" }

    var silence: MediaError {
        MediaError(
            .deviceLost, "lost the camera \(url.label)",
            reason: "no \(needed == .video ? "video" : "audio") came for \(options.silenceTimeout / 1_000_000_000) s",
            wayOut: usesDatagrams && lastPacket == nil ? "use TCP, or let UDP pass the firewall" : "")
    }

    private var refusalOfCredentials: MediaError {
        MediaError(
            .notPermitted, action, reason: "it refuses the user or the password", underlying: .other("RTSP", 401),
            wayOut: "check both in the camera's own page")
    }

    /// The error for datagrams of a camera with TLS, which would be sent without encryption.
    var refusalOfDatagrams: MediaError {
        MediaError(
            .invalidSettings, action, reason: "datagrams are not encrypted, and rtsps:// requires that",
            wayOut: "set camera-transport to tcp, or write rtsp:// if TLS is not needed")
    }

    func lost(_ reason: String, code: MediaError.Code = .deviceLost) -> MediaError {
        MediaError(code, action, reason: reason)
    }

    /// Returns the error for a response that is not a success.
    func error(_ response: RTSPResponse, _ request: String) -> MediaError {
        let (code, wayOut): (MediaError.Code, String) =
            switch response.status {
            case 403: (.notPermitted, "allow this user to watch in the camera's settings")
            case 404: (.notFound, "check the path of the URL in the camera's manual")
            case 453, 503: (.busy, "end other sessions, or lower the camera's bit rate")
            case 454: (.deviceLost, "")
            case 461: (.unsupported, "try the other transport")
            default: (.ioFailure, "")
            }
        let reason = response.reason.isEmpty ? "" : " (\(response.reason.prefix(80)))"
        return MediaError(
            code, action, reason: "it refuses \(request)\(reason)",
            underlying: .other("RTSP", Int32(clamping: response.status)), wayOut: wayOut)
    }
}
