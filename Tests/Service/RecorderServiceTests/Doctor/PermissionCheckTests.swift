import Testing

@testable import RecorderService

@Suite struct PermissionCheckTests {
    private let ana = UserFacts(id: 1000, name: "ana")

    private func node(
        _ path: String = "/dev/video0", isUsable: Bool = false, mode: UInt32 = 0o660, group: String? = "video",
        hasMember: Bool = false, isInGroup: Bool = false
    ) -> DeviceNode {
        DeviceNode(
            kind: .camera, path: path, isUsable: isUsable, owner: 0, mode: mode,
            group: group.map { DeviceNode.Group(name: $0, hasMember: hasMember) }, isInGroup: isInGroup)
    }

    private func finding(
        _ nodes: [DeviceNode]?, _ kind: DeviceNode.Kind = .camera, isNeeded: Bool = true
    ) -> DoctorFinding {
        PermissionCheck.finding(kind, nodes, ana, isNeeded: isNeeded)
    }

    @Test func finding_member_isOK() {
        let finding = finding([node(isUsable: true, hasMember: true, isInGroup: true)])
        #expect(finding.verdict == .ok && finding.line == "ok       cameras: ana may use /dev/video0")
    }

    @Test func finding_noMember_namesTheUserGroupAndTheUser() {
        let finding = finding([node()])
        #expect(finding.verdict == .problem)
        #expect(finding.wayOut == "run `sudo usermod -aG video ana`, then log in again")
    }

    @Test func finding_memberSinceThisLogin_asksForANewLogin() {
        let finding = finding([node(hasMember: true)])
        #expect(finding.verdict == .problem)
        #expect(finding.wayOut?.hasPrefix("log in again: ana is a member of video") == true)
        #expect(finding.wayOut?.contains("usermod") == false)
    }

    @Test func finding_modeWithoutTheUserGroup_asksForNoMembership() {
        for node in [node(mode: 0o600), node(isInGroup: true), node(group: "root"), node(group: nil)] {
            let finding = finding([node])
            #expect(finding.verdict == .problem)
            #expect(finding.wayOut?.contains("usermod") == false, "\(finding.line)")
            #expect(finding.wayOut?.contains("`ls -l /dev/video0`") == true, "\(finding.line)")
        }
    }

    @Test func finding_accessOfTheLoginAlone_isAHint() {
        let finding = finding([node(isUsable: true)])
        #expect(finding.verdict == .hint && finding.text.contains("only while logged in"))
        #expect(finding.wayOut?.contains("usermod -aG video ana") == true)
        #expect(self.finding([node(isUsable: true, mode: 0o666)]).verdict == .ok)
    }

    @Test func finding_oneOfTwoNodes_isAHint() {
        let usable = node("/dev/video1", isUsable: true, isInGroup: true)
        let finding = finding([node(), usable])
        #expect(finding.verdict == .hint && finding.text == "ana may not use /dev/video0")
    }

    @Test func finding_notNeeded_isAHint() {
        #expect(finding([node()], isNeeded: false).verdict == .hint)
    }

    @Test func finding_nothingToCheck_isUnknown() {
        #expect(finding([]).verdict == .unknown && finding([]).text.contains("/dev/video*"))
        #expect(finding([node()], .microphone).text.contains("/dev/snd/"))
        #expect(finding(nil).verdict == .unknown)
    }

    @Test func finding_manyNodes_listsFour() {
        let nodes = (0..<6).map { node("/dev/video\($0)") }
        #expect(finding(nodes).text.hasSuffix("/dev/video3 and 2 more"))
    }
}
