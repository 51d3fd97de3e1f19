import MediaTypes
import Testing

@testable import LibcameraCapture

@Suite struct CameraInquiryTests {
    private static func camera(_ name: String) -> HelperBytes { HelperBytes(.camera).with(text: name) }

    private static func control(_ name: String) -> HelperBytes {
        HelperBytes(.control).with(text: name).with(2, at: MessageLayout.controlTypeAt)
    }

    private static func node(_ number: UInt64) -> HelperBytes {
        HelperBytes(.device).with(long: number, at: MessageLayout.deviceAt)
    }

    private static func count(_ kind: HelperKind, _ count: UInt32) -> HelperBytes {
        HelperBytes(kind).with(count, at: MessageLayout.countAt)
    }

    /// Returns the actions for messages that arrive at once, without those that need nothing.
    private func actions(
        _ messages: [HelperBytes], _ inquiry: inout CameraInquiry
    ) -> [CameraInquiry.Action] {
        var actions: [CameraInquiry.Action] = []
        for message in messages {
            let action = inquiry.received(message.bytes, descriptors: 0, at: 0)
            if action != .nothing { actions.append(action) }
        }
        return actions
    }

    @Test func inquiry_twoCameras_hasTheControlsOfEach() {
        var inquiry = CameraInquiry(at: 0)
        let found = actions(
            [
                .hello(), Self.camera("a"), Self.node(0x5100), Self.node(0x5101), Self.camera("b"),
                Self.count(.listed, 2),
                Self.control("AeEnable"), Self.control("AfMode"), HelperBytes(.choice).with(text: "Auto"),
                HelperBytes(.choice).with(text: "Manual"), Self.count(.described, 2), Self.count(.described, 0),
            ], &inquiry)
        #expect(found == [.send(.list), .send(.describe(camera: "a")), .send(.describe(camera: "b")), .done])
        #expect(inquiry.version == "0.4.0" && inquiry.cameras.map(\.listing.identifier) == ["a", "b"])
        #expect(inquiry.cameras.map(\.nodes) == [[0x5100, 0x5101], []])
        #expect(inquiry.cameras[0].controls.map(\.listing.name) == ["AeEnable", "AfMode"])
        #expect(inquiry.cameras[0].controls[1].choices.map(\.name) == ["Auto", "Manual"])
        #expect(inquiry.cameras[1].controls.isEmpty && inquiry.deadline == nil)
    }

    @Test func inquiry_noCamera_isDone() {
        var inquiry = CameraInquiry(at: 0)
        let found = actions([.hello(), Self.count(.listed, 0)], &inquiry)
        #expect(found == [.send(.list), .done] && inquiry.cameras.isEmpty)
    }

    @Test func inquiry_wrongCountOrOrder_fails() {
        let cases: [([HelperBytes], String)] = [
            ([.hello(), Self.camera("a"), Self.count(.listed, 2)], "a list of cameras"),
            ([.hello(), HelperBytes(.started)], "a start"),
            (
                [.hello(), Self.camera("a"), Self.count(.listed, 1), HelperBytes(.choice).with(text: "Auto")],
                "a list of controls"
            ),
            (
                [.hello(), Self.camera("a"), Self.count(.listed, 1), Self.count(.described, 1)],
                "a list of controls"
            ),
            ([Self.camera("a")], "a list of cameras"),
            ([.hello(), Self.node(0x5100)], "a list of cameras"),
        ]
        for (messages, name) in cases {
            var inquiry = CameraInquiry(at: 0)
            let last = actions(messages, &inquiry).last
            #expect(last == .end(.unexpectedMessage(name)))
        }
    }

    @Test func inquiry_endlessList_fails() {
        var inquiry = CameraInquiry(at: 0)
        let cameras = [HelperBytes](repeating: Self.camera("a"), count: CameraInquiry.mostMessages)
        let messages = [HelperBytes.hello()] + cameras
        let found = actions(messages, &inquiry)
        #expect(found == [.send(.list), .end(.flooded)])
    }

    @Test func inquiry_slowHelper_fails() {
        var inquiry = CameraInquiry(at: 0)
        _ = actions([.hello()], &inquiry)
        let early = inquiry.passed(9_999_999_999)
        let late = inquiry.passed(10_000_000_000)
        #expect(early == .nothing && late == .end(.slow(.listing, after: 10_000_000_000)))
    }

    @Test func inquiry_manySlowCameras_fails() {
        var inquiry = CameraInquiry(at: 0)
        let cameras = ["a", "b", "c", "d", "e", "f", "g", "h"].map { Self.camera($0) }
        _ = actions([HelperBytes.hello()] + cameras, &inquiry)
        var now: Int64 = 0
        let listed = inquiry.received(Self.count(.listed, 8).bytes, descriptors: 0, at: now)
        #expect(listed == .send(.describe(camera: "a")))
        for name in ["b", "c", "d", "e", "f", "g"] {
            now += 9_900_000_000
            let action = inquiry.received(Self.count(.described, 0).bytes, descriptors: 0, at: now)
            #expect(action == .send(.describe(camera: name)))
        }
        let early = inquiry.passed(59_999_999_999)
        let late = inquiry.passed(60_000_000_000)
        #expect(early == .nothing && late == .end(.slow(.listing, after: 60_000_000_000)))
    }

    @Test func discovery_ofAHelper_returnsItsCameras() throws {
        let helper = FakeHelper { helper, socket in
            helper.send(socket, .hello())
            guard helper.wait(socket, for: .list) else { return }
            helper.send(socket, Self.camera("a"))
            helper.send(socket, Self.count(.listed, 1))
            guard helper.wait(socket, for: .describe) else { return }
            helper.send(socket, Self.control("AeEnable"))
            helper.send(socket, Self.count(.described, 1))
            while helper.receive(socket) != nil {}
        }
        let cameras = try LibcameraDiscovery.cameras(helper.launcher)
        #expect(cameras.map(\.listing.identifier) == ["a"] && cameras[0].controls.count == 1)
        #expect(helper.endCount == 1)
    }

    @Test func discovery_helperThatEnds_isAnError() {
        let helper = FakeHelper { helper, socket in helper.send(socket, .hello()) }
        let error = #expect(throws: MediaError.self) { try LibcameraDiscovery.cameras(helper.launcher) }
        #expect(error?.underlying == .other("exit status", 7) && helper.endCount == 1)
    }
}
