import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderStorage
@testable import WebService

/// The examples for Home Assistant in docs/guide/home-assistant.md name only what the server has.
@Suite(.timeLimit(.minutes(10))) struct HomeAssistantPageTests {
    private let page: String

    init() throws {
        page = try String(contentsOf: Project.file("docs/guide/home-assistant.md"), encoding: .utf8)
    }

    /// The status of a recorder with camera, microphone and disk, as the server sends it.
    private func status() throws -> [String: Any] {
        var status = RecordingStatus(name: "front", state: .recording)
        status.video = .init(Ledger())
        status.audio = .init(Ledger())
        status.disk = .init(free: 5_000_000_000)
        let recorder = WatchedRecorder(number: 1, name: "front", isRunning: true, status: status)
        let object = try JSONSerialization.jsonObject(with: JSONText.data(recorder)) as? [String: Any]
        return try #require(object?["status"] as? [String: Any])
    }

    @Test func keysInTemplates_areInTheStatus() throws {
        let status = try status()
        let list = try #require(page.firstMatch(of: /json_attributes: \[(.*)\]/)).output.1
        let attributes = list.split(separator: ", ").map(String.init)
        #expect(attributes.count == 7 && attributes.allSatisfy { status[$0] != nil }, "\(attributes)")
        let used = page.matches(of: /state_attr\('sensor\.recorder_front', '(\w+)'\)((?:\.\w+)*)/)
        #expect(used.count == 5)
        for match in used {
            // `values` is a function of the template language.
            let names = match.output.2.split(separator: ".").map(String.init).filter { $0 != "values" }
            var value: Any? = status[String(match.output.1)]
            for name in names { value = (value as? [String: Any])?[name] }
            #expect(value != nil && attributes.contains(String(match.output.1)), "\(match.output.0)")
        }
    }

    @Test func states_areThoseOfARecorder() throws {
        let list = try #require(page.firstMatch(of: /The state is one of ([^.]*)\./)).output.1
        let states = Set(list.matches(of: /`(\w+)`/).map { String($0.output.1) })
        #expect(states == Set(WatchedRecorder.State.allCases.map(\.rawValue)))
        let problems = try #require(page.firstMatch(of: /'sensor\.recorder_front'\) in \[(.*)\]/)).output.1
        var used = problems.matches(of: /'(\w+)'/).map { String($0.output.1) }
        used += page.matches(of: /is_state\('sensor\.recorder_front', '(\w+)'\)/).map { String($0.output.1) }
        #expect(used.count == 5 && states.isSuperset(of: used), "\(used)")
    }

    @Test func loginAndRoutes_areThoseOfTheServer() async throws {
        let routes = Set(page.matches(of: /https:\/\/lab\.example\.org(\/api\/[a-z\/]+)/).map { String($0.output.1) })
        #expect(routes == ["/api/login", "/api/recorders", "/api/recorders/front/snapshot"])
        let fields = try #require(page.firstMatch(of: /`{3}json\n(.*)\n`{3}/)).output.1
        let body = String(fields).replacing("home", with: "ben")
        // The name of the cookie, where the login reads it and where the requests send it.
        let name = SessionCookie.name
        #expect(page.contains("$6 == \"\(name)\"") && page.contains("\(name)={{ states('sensor.recorder_session') }}"))
        try await WebFixture.run { fixture in
            try await FakeRecorder.run("front", in: fixture.runtime) { _ in
                let type = "Content-Type: application/json\r\n"
                let login = try fixture.send("POST", "/api/login", headers: type, body)
                let cookie = try #require(login.headers["set-cookie"]).prefix { $0 != ";" }
                #expect(login.status == 200 && cookie.hasPrefix("\(name)="))
                let headers = "Cookie: \(cookie)\r\n"
                let answer = try fixture.send("GET", "/api/recorders", headers: headers, origin: nil)
                let object = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
                let recorders = try #require(object?["recorders"] as? [[String: Any]])
                let front = try #require(recorders.first { $0["name"] as? String == "front" })
                #expect(front["state"] is String && front["status"] != nil)
                // The fake has no frame. These refusals would mean that the route or the right is missing.
                let still = try fixture.send(
                    "GET", "/api/recorders/front/snapshot", headers: headers, origin: nil)
                #expect(![401, 403, 404].contains(still.status), "\(still.status): \(still.body)")
            }
        }
    }
}
