import Hummingbird
import MediaTypes
import RecorderControl
import RecorderStorage

/// The requests to log in and out.
struct SessionOperations: Sendable {
    let visitors: Visitors

    private struct Answer: Encodable {
        @OrNull var user: String?
        @OrNull var role: UserAccount.Role?
        let version = RecorderVersion.text
        let hasAccounts: Bool
    }

    private struct LoginFields: ControlFields {
        static let names = ["user", "password"]
        let user: String
        let password: String
    }

    func session(_ request: WebRequest) throws -> Response {
        try request.allowQuery()
        return ControlAnswer.json(answer(request.visitor))
    }

    func login(_ request: WebRequest) async throws -> Response {
        let fields = try request.fields(LoginFields.self)
        let (user, password) = (fields.user.unicodeScalars.count, fields.password.unicodeScalars.count)
        guard (1...64).contains(user), (1...1024).contains(password) else {
            throw ControlError.badRequest("cannot log in: “user” takes 1 to 64 characters, “password” takes 1 to 1024")
        }
        // A name that no account can have is treated like a wrong name.
        guard UserAccount.isName(fields.user), let secret = try await visitors.login(fields.user, fields.password)
        else {
            throw ControlError(
                .unauthorized, "notPermitted", "wrong name or password", wayOut: "try again")
        }
        var response = ControlAnswer.json(answer(visitors.visitor(secret)))
        response.headers[.setCookie] = SessionCookie.set(secret, isSecure: request.isSecure)
        return response
    }

    func logout(_ request: WebRequest) throws -> Response {
        _ = try request.fields(NoFields.self)
        try visitors.logout(request.secret)
        return Response(status: .noContent, headers: [.setCookie: SessionCookie.clear])
    }

    /// Answers a request to the one-time address: begins a session.
    func open(_ request: WebRequest) throws -> Response {
        try request.allowQuery("secret")
        guard let secret = try visitors.open(request.query["secret"] ?? "") else {
            throw ControlError.forbidden(
                "cannot log in", "this address is invalid or was already used",
                wayOut: "run `recorder web --open` for a new one")
        }
        return Response(
            status: .seeOther,
            headers: [.location: "/", .setCookie: SessionCookie.set(secret, isSecure: request.isSecure)])
    }

    private func answer(_ visitor: WebRequest.Visitor?) -> Answer {
        Answer(
            user: visitor.map { $0.user ?? "this machine" }, role: visitor?.role, hasAccounts: visitors.hasAccounts)
    }
}
