import Foundation
import MediaTypes
import Testing

@testable import AVFoundation

@Suite struct MagicCookieTests {
    @Test(arguments: [0, 0x80, 0x40, 0x20, 0xE0] as [UInt8])
    func configuration_optionalStreamFields_areSkipped(flags: UInt8) {
        var fields: [UInt8] = [0, 0, flags]
        if flags & 0x80 != 0 { fields += [0, 7] }
        if flags & 0x40 != 0 { fields += [3, 5, 1, 9] }
        if flags & 0x20 != 0 { fields += [4, 7] }
        var decoder: [UInt8] = [0x40, 0x15]
        decoder += [UInt8](repeating: 0, count: 11)
        decoder += [5, 2, 0x12, 0x10]
        let stream = fields + [4, UInt8(decoder.count)] + decoder
        let cookie = [3, UInt8(stream.count)] + stream
        #expect(MagicCookie.configuration(Data(cookie), of: .aac) == [0x12, 0x10])
    }
}
