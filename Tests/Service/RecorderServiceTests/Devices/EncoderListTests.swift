import CommandInterface
import Foundation
import MediaTypes
import Testing

@testable import Capture
@testable import RecorderService

/// Hardware encoders in the output of `recorder devices`.
@Suite struct EncoderListTests {
    private let pi = EncoderDevice(
        path: "/dev/video11", name: "bcm2835-codec-encode", driver: "bcm2835-codec", codecs: ["H264"],
        frameFormats: ["YU12", "NV12"], largestFrame: FrameSize(1920, 1920), isMultiplanar: true)

    @Test func devices_encoder_isListedWithItsOption() {
        let list = DeviceList(cameras: [], microphones: [], encoders: [pi])
        #expect(
            list.text.hasSuffix(
                """
                encoders
                  /dev/video11  bcm2835-codec-encode
                    H264 up to 1920x1920 from YU12, NV12
                    as --encoder v4l2:/dev/video11
                """))
        #expect(!DeviceList(cameras: [], microphones: []).text.contains("encoders"))
    }

    @Test func devices_encoderOfAnotherCodec_isNotOffered() {
        var other = pi
        (other.codecs, other.largestFrame) = (["FWHT"], nil)
        let list = DeviceList(cameras: [], microphones: [], encoders: [other])
        #expect(list.text.hasSuffix("    FWHT from YU12, NV12") && !list.encoders[0].isUsable)
        var raw = pi
        raw.frameFormats = ["RGB3"]
        #expect(!raw.encodesH264 && pi.encodesH264)
    }

    @Test func json_encoder_hasEveryKey() throws {
        var unknown = pi
        unknown.largestFrame = nil
        let text = JSONText.line(DeviceList(cameras: [], microphones: [], encoders: [unknown]))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let encoder = try #require((object["encoders"] as? [[String: Any]])?.first)
        #expect(
            encoder.keys.sorted()
                == ["codecs", "device", "driver", "formats", "isUsable", "largestFrame", "name"])
        #expect(encoder["largestFrame"] is NSNull && encoder["isUsable"] as? Bool == true)
    }
}
