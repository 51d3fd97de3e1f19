import Testing

@testable import RecorderService

@Suite struct PageCheckTests {
    private func findings(_ states: PageAddress.State..., hasProgram: Bool = true) -> [DoctorFinding] {
        PageCheck.findings(
            PageFacts(
                program: "/usr/bin/recorder-web", hasProgram: hasProgram,
                addresses: states.map { PageAddress(place: "0.0.0.0:8443", state: $0) }))
    }

    @Test func findings_freeOrOwnAddress_areOK() {
        let found = findings(.free, .stale, .served)
        #expect(found.allSatisfy { $0.verdict == .ok && $0.subject == "page: 0.0.0.0:8443" })
    }

    @Test func findings_takenAddress_nameTheProgram() {
        let found = findings(.taken("nginx"), .taken(nil))
        #expect(found.map(\.verdict) == [.hint, .hint])
        #expect(found[0].text.hasPrefix("in use by nginx") && found[1].text.hasPrefix("in use by another program"))
    }

    @Test func findings_unreadableAddress_isUnknown() {
        #expect(findings(.unknown("permission denied")).map(\.verdict) == [.unknown])
    }

    @Test func findings_noAnswer_areUnknown() {
        #expect(PageCheck.findings(nil).map(\.verdict) == [.unknown])
    }

    @Test func findings_missingProgram_isAHint() {
        let found = findings(hasProgram: false)
        #expect(found.map(\.verdict) == [.hint])
        #expect(found.first?.wayOut?.contains("`apt install recorder-web`") == true)
    }

    @Test func listenOption_severalTexts_lastOneCounts() {
        let unit = "[Service]\nExecStart=/usr/bin/recorder-web --socket %t/recorder-web/web.socket\n"
        let dropIn = "[Service]\nExecStart=\nExecStart=/usr/bin/recorder-web --listen 0.0.0.0:8443 --host a\n"
        #expect(PageProbe.listenOption(in: [unit]) == nil)
        #expect(PageProbe.listenOption(in: [unit, dropIn]) == "0.0.0.0:8443")
        #expect(PageProbe.listenOption(in: [dropIn, unit]) == nil)
        #expect(PageProbe.listenOption(in: ["ExecStart=x --listen=[::]:443"]) == "[::]:443")
        #expect(PageProbe.listenOption(in: ["ExecStart=x --listen", "", "\n"]) == nil)
    }

    @Test func listenOption_continuedLine_isRead() {
        let unit = "[Service]\nExecStart=/usr/bin/recorder-web \\\n# a comment\n  --listen \\\n  0.0.0.0:8443\nUser=a\n"
        #expect(PageProbe.listenOption(in: [unit]) == "0.0.0.0:8443")
        // A text ends with its last line.
        #expect(PageProbe.listenOption(in: ["ExecStart=x --listen [::]:1 \\", "ExecStart="]) == nil)
    }

    @Test(arguments: ["", ":", "8443", "a:", ":80", "1.2.3.4:0", "1.2.3.4:99999", "[]:80", "1.2.3.4:-1"])
    func port_invalidText_isRefused(text: String) {
        #expect(ListeningPort(text) == nil)
    }

    @Test func port_hostName_isUnknown() throws {
        guard case .unknown = try #require(ListeningPort("no-number.example:8443")).state() else {
            Issue.record("a name was resolved")
            return
        }
    }

    @Test func inodes_ofAPort_areThoseThatListen() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 00000000:20FB 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0
               1: 0100007F:20FB 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0 20 4
               2: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0
            """
        #expect(ListeningPort.inodes(listeningOn: 8443, in: table) == ["socket:[4711]"])
        #expect(ListeningPort.inodes(listeningOn: 1, in: table).isEmpty)
        #expect(ListeningPort.inodes(listeningOn: 80, in: "").isEmpty)
        #expect(ListeningPort.inodes(listeningOn: 80, in: "\n0: :50 x 0A\n:::\n").isEmpty)
    }
}
